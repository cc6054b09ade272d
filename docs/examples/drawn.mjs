#!/usr/bin/env node
// Plays a random legal action, and remembers what it has seen of each game until the game is over.
import { createInterface } from "node:readline";

const games = new Map();
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === "hello") say({ type: "hello", protocol: 2 });
  if (message.type === "start") games.set(message.id, []);
  if (message.type === "decision") {
    games.get(message.id).push(...message.events);
    const action = message.legal[message.seed % message.legal.length];
    say({ type: "action", id: message.id, decision: message.decision, action });
  }
  if (message.type === "result") games.delete(message.id);
}
