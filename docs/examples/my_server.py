# A stand-in for a model: a chat server on this machine that plays random legal actions. python my_server.py 8123
import json
import random
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Chat(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = asked["messages"][-1]["content"]  # asked["messages"] is the whole conversation
        moves = re.findall(r"^- (.+)$", told.partition("Your legal actions:")[2], re.MULTILINE)
        answer = f'I take my chances. {{"action": "{random.choice(moves)}"}}' if moves else "I know no action."
        message = {"role": "assistant", "content": answer}
        about = {"id": "0", "object": "chat.completion", "created": 0, "model": asked["model"]}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        body = json.dumps({**about, "choices": choices}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *parts: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Chat)
print(f"llm:any@http://127.0.0.1:{server.server_port}/v1", flush=True)
server.serve_forever()
