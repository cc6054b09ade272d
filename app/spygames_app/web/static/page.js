// Enhancements of the page; it also works without this script. The script knows no game: it uses only the texts of the
// legal actions, and shows what the server sends.

// Milliseconds for which a move of another player is shown; 0 for users who prefer reduced motion.
const PAUSE = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 700;
const POLL = 500, RETRY = 2000;
const main = () => document.querySelector("main");
const find = selector => main().querySelector(selector);
const all = selector => [...main().querySelectorAll(selector)];
// The picture that is shown: there is one for wide and one for narrow screens.
const shown = () => all("#picture svg").find(each => each.getClientRects().length) || find("#picture svg");
const targets = (rest = "") => [...(shown()?.querySelectorAll(`.target${rest}`) || [])];
const NARROW = matchMedia("(max-width: 1199px)");
// The picks on the board: by the position of the word in an action's text, the word and the target.
let picks = new Map();
const folds = new Map(); // whether the user has opened or closed a fold, by its id
let timer = 0, playing = 0, speed = 1, skip = () => {}, busy = false, wanted = "", told = "", held = null;

function say(text) { document.getElementById("said").textContent = text; }

const read = html => new DOMParser().parseFromString(html, "text/html");

// Describes the focused element, so that the focus can be restored.
function hold() {
  const focused = document.activeElement, inBoard = Boolean(focused?.closest("#picture .target"));
  const key = focused?.closest("main") ? focused.id || focused.dataset.key : "";
  return { key, inBoard, inActions: inBoard || Boolean(focused?.closest(".act")), none: !key && !focused?.closest("main, header") };
}

// Replaces the main part by that of another page. The focused element keeps the focus if it still exists.
function take(html, url) {
  const next = read(html), now = hold(), place = held && (now.none || now.key === "skip") ? held : now;
  const { key, inBoard, inActions } = place;
  const left = find("#picture")?.scrollLeft || 0; // for a large board on a small screen
  const down = find("#moves")?.scrollTop || 0, top = scrollY;
  const ends = !find(".film") && next.querySelector(".film");
  document.title = next.title;
  main().replaceWith(document.adoptNode(next.querySelector("main")));
  if (url && url !== location.href) history.replaceState(null, "", url);
  dress();
  if (find("#picture")) find("#picture").scrollLeft = left;
  scrollTo(0, ends ? 0 : top); // the end: to the result and the rematch; otherwise folds that were open have moved the page
  if (find("#moves")) showNow(down);
  const again = key && (document.getElementById(key) || find(`[data-key="${CSS.escape(key)}"]`));
  const first = again || (inBoard && targets()[0]) || (inActions && (find(".actions button") || find("h1")));
  held = first || !key ? null : place; // the element may return when a player has thought
  if (first) {
    if (first.matches("h1")) first.tabIndex = -1;
    first.focus({ preventScroll: true });
  }
}

// The server draws only the form of the board that is shown.
const shape = () => ({ "X-Board": NARROW.matches ? "narrow" : "wide" });

async function get(url) {
  const answer = await fetch(url, { headers: shape() });
  take(await answer.text(), answer.url);
}

// Reports that the server does not answer, and reloads until it does: the last request may have arrived.
function offline() {
  busy = false;
  play(false);
  const line = "The server does not answer. The page tries again.";
  if (!find("#offline")) {
    main().prepend(Object.assign(document.createElement("p"), { id: "offline", className: "problem", textContent: line }));
    say(line);
  }
  clearTimeout(timer);
  timer = setTimeout(() => get(location.href).catch(offline), RETRY);
}

// ---------------------------------------------------------------- playing

async function send(form, submitter) {
  if (busy || (submitter?.id === "resign" && !confirm("Resign this game?"))) return;
  busy = true;
  find(".problem")?.remove(); // it belongs to the last action
  const typed = form.matches(".typed"), top = scrollY; // what is hidden meanwhile makes the page shorter
  held = hold(); // elements that are disabled while the others move lose the focus
  const fields = new URLSearchParams(new FormData(form, submitter)), stream = form.matches(".act");
  for (const button of all("button")) button.disabled = true;
  main().classList.toggle("waiting", stream); // hides what cannot be chosen now
  if (find("#picked")) find("#picked").textContent = "";
  if (stream && find("#turn")) find("#turn").textContent = "The others are thinking …";
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields, headers: stream ? { Accept: "application/x-ndjson", ...shape() } : shape() });
    if ((answer.headers.get("content-type") || "").startsWith("application/x-ndjson")) {
      const last = await watch(answer.body);
      busy = false;
      await get(location.href);
      say(`${last && `${last}. `}${find("#turn, h1")?.textContent || ""}`);
    } else {
      busy = false;
      take(await answer.text(), answer.ok ? answer.url : undefined); // only a redirect leads to a page that can be reloaded
      const problem = find(".problem");
      if (problem && typed) find(".typed")?.after(problem); // near what was used
      if (problem) scrollTo(0, top);
      problem?.scrollIntoView({ block: "center" }); // the line above the board covers the edge of small screens
      if (problem) say(problem.textContent);
    }
  } catch { offline(); }
}

// Shows the moves of a stream one by one; returns the text of the last.
async function watch(body) {
  const reader = body.getReader(), decoder = new TextDecoder();
  let text = "", quick = false, shown = 0, last = "";
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Skip animation", id: "skip" });
  button.onclick = () => { quick = true; skip(); };
  if (PAUSE) find("#turn")?.after(button);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return last;
    text += decoder.decode(value, { stream: true });
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) {
      const frame = JSON.parse(line);
      if (shown++ && !quick && PAUSE) await new Promise(resolve => { skip = resolve; setTimeout(resolve, PAUSE); });
      find("#picture").innerHTML = frame.picture;
      say(last = frame.text);
      find("#log")?.insertAdjacentHTML("afterbegin", frame.line);
    }
  }
}

// ---------------------------------------------------------------- picking on the board

const texts = () => all(".actions button").map(button => button.value);

// Actions that are picked word by word: those that no target names in full.
function open() {
  const whole = new Set(targets("[data-action]").map(each => each.dataset.action));
  return texts().filter(text => !whole.has(text));
}

const fits = (text, wanted) => [...wanted].every(([at, word]) => text.split(" ")[at] === word);

const chosen = () => new Map([...picks].map(([at, pick]) => [at, pick.word]));

const asks = () => JSON.parse(find("#picked")?.dataset.asks || "{}");

const place = target => { const [at, word] = target.dataset.pick.split(/:(.*)/s); return [Number(at), word]; };

// Whether every part of an action has been picked that can be. An action is never played before that, even if it is the
// only one left.
function complete(text) {
  const words = text.split(" "), slots = new Set(targets("[data-pick]").map(each => place(each)[0]));
  (asks()[words[0]] || []).forEach((_, i) => slots.add(i + 1));
  return [...slots].every(at => at >= words.length || picks.has(at));
}

function press(target) {
  find(".problem")?.remove();
  if (target.dataset.action) return choose(target.dataset.action);
  let [at, word] = place(target);
  const earlier = picks.get(at);
  // A second card is meant for the next place if it fits there.
  if (earlier && earlier.target !== target && !picks.has(at + 1) && open().some(text => fits(text, chosen().set(at + 1, word)))) at += 1;
  if (picks.get(at)?.target === target) picks.delete(at);
  else {
    picks.set(at, { word, target });
    // A pick that fits none of the earlier ones replaces them.
    if (!open().some(text => fits(text, chosen()))) picks = new Map([[at, { word, target }]]);
  }
  const left = open().filter(text => fits(text, chosen()));
  if (left.length === 1 && complete(left[0])) return choose(left[0]);
  mark();
}

function choose(text) {
  const button = all(".actions button").find(each => each.value === text);
  if (button) button.form.requestSubmit(button);
}

// Shows why something on the board cannot be chosen now: the server refuses the action and names the rule. The picks stay.
async function explain(text) {
  const form = find(".typed");
  if (busy || !form) return;
  busy = true;
  const fields = new URLSearchParams(new FormData(form));
  fields.set("action", text);
  fields.set("tapped", "1");
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields, headers: shape() }), html = await answer.text();
    busy = false;
    const next = read(html).querySelector("main"), problem = next.querySelector("#due .problem");
    const same = answer.status === 409 && problem && next.dataset.revision === main().dataset.revision;
    if (!same) return take(html, answer.ok ? answer.url : undefined); // the game has moved on
    find(".problem")?.remove();
    find("#due").append(document.adoptNode(problem));
    problem.scrollIntoView({ block: "nearest" });
  } catch { offline(); }
}

function mark() {
  const left = picks.size ? open().filter(text => fits(text, chosen())) : texts(), first = picks.size === 0;
  for (const button of all(".actions button")) button.hidden = !left.includes(button.value);
  for (const target of targets("[data-pick]")) {
    const [at, word] = place(target), picked = [...picks.values()].some(pick => pick.target === target);
    target.classList.toggle("picked", picked);
    target.setAttribute("aria-pressed", picked);
    const fit = open().some(text => fits(text, chosen().set(at, word)));
    target.classList.toggle("out", !first && !picked && !fit);
    target.classList.toggle("later", first && at > 1);
  }
  for (const copy of all("#picture .placed")) copy.remove();
  for (const spot of shown()?.querySelectorAll("[data-place]") || []) {
    const pick = picks.get(Number(spot.dataset.place));
    if (pick) put(pick.target, spot);
  }
  const turn = find("#turn"), note = find("#picked");
  if (!note) return;
  turn.dataset.due ??= turn.textContent;
  turn.textContent = first ? turn.dataset.due : question(left);
  const verbs = Object.keys(asks()).filter(each => left.some(text => text.split(" ")[0] === each));
  const due = [...new Set(verbs.map(each => asks()[each][0]))].join(", or ");
  note.textContent = !first ? "To take a choice back, tap it again." : due ? `${due}.` : onBoard() ? "Tap it on the board." : "Choose below.";
}

// The question for the next word of the actions that are left.
function question(left) {
  const words = left[0].split(" "), questions = asks()[words[0]] || [];
  const next = words.findIndex((_, at) => at && !picks.has(at) && (questions[at - 1] || new Set(left.map(text => text.split(" ")[at])).size > 1));
  const said = new Set(left.map(text => text.split(" ")[0])).size === 1 && questions[next - 1];
  return said || `Picked: ${[...chosen().values()].join(", ")}. Choose the next part`;
}

// Whether every action can be chosen on the board.
function onBoard() {
  const whole = new Set(targets("[data-action]").map(each => each.dataset.action)), words = targets("[data-pick]").map(place);
  return texts().every(text => whole.has(text) || words.some(([at, word]) => text.split(" ")[at] === word));
}

// Shows a copy of a picked card in the place that it goes to.
function put(card, spot) {
  const copy = card.cloneNode(true), from = card.getBBox(), to = spot.getBBox();
  const scale = Math.min(to.width / from.width, to.height / from.height);
  for (const each of [copy, ...copy.querySelectorAll("*")])
    for (const name of each.getAttributeNames()) if (/^(data-|role|tabindex|aria-|class|id)/.test(name)) each.removeAttribute(name);
  copy.setAttribute("class", "placed");
  copy.setAttribute("transform", `translate(${to.x + (to.width - scale * from.width) / 2} ${to.y + (to.height - scale * from.height) / 2}) scale(${scale}) translate(${-from.x} ${-from.y})`);
  spot.after(copy);
}

// ---------------------------------------------------------------- films

// Restores the scroll position of the list of moves, and scrolls only as far as needed to show the current one.
function showNow(down) {
  const list = find("#moves"), now = find("#moves [aria-current]");
  list.scrollTop = down;
  if (!now) return;
  const at = now.offsetTop - list.offsetTop;
  if (at < list.scrollTop || at + now.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = at - 60;
}

const go = key => find(`.step[data-key="${key}"]`)?.click();

function play(on) {
  clearInterval(playing);
  playing = on ? setInterval(() => {
    if (!find(".film") || find('.step[data-key="End"]')?.getAttribute("aria-disabled")) play(false);
    else if (!busy) go("ArrowRight");
  }, 1000 / speed) : 0;
  if (find("#play")) find("#play").textContent = playing ? "Pause" : "Play";
}

// Goes to a position. Of the requests that arrive meanwhile, only the last one counts.
async function follow(url) {
  wanted = url;
  if (busy) return;
  busy = true;
  while (wanted) {
    const next = wanted;
    wanted = "";
    await get(next).catch(offline);
  }
  busy = false;
}

// ---------------------------------------------------------------- dressing

// Adds the script's controls to the page that the server has sent.
function dress() {
  picks = new Map();
  const legal = texts();
  if (shown() && legal.length) {
    for (const board of all("#picture svg")) {
      board.setAttribute("role", "group");
      board.setAttribute("aria-label", "Board");
    }
    for (const target of all("#picture .target")) {
      target.setAttribute("role", "button");
      target.setAttribute("tabindex", "0");
      // The title is read by screen readers and shown as a tooltip.
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = target.dataset.label || "";
      target.prepend(title);
    }
    mark();
  }
  for (const fold of all("details[id]")) {
    if (folds.has(fold.id)) fold.open = folds.get(fold.id);
    else if (fold.id === "list") fold.open = !(NARROW.matches && onBoard());
  }
  if (find(".film")) {
    const made = (id, textContent, onclick) => Object.assign(document.createElement("button"), { type: "button", id, textContent, onclick });
    const faster = () => {
      speed = speed === 4 ? 1 : 2 * speed;
      find("#speed").textContent = `Speed ${speed}`;
      if (playing) play(true);
    };
    find(".steps").append(made("play", playing ? "Pause" : "Play", () => play(!playing)), made("speed", `Speed ${speed}`, faster));
    find(".film button").hidden = true;
    const now = find("#happened")?.textContent || "";
    if (now !== told) say(told = now);
  }
  const record = find("#record");
  if (record) {
    const file = Object.assign(document.createElement("input"), { type: "file", accept: ".jsonl,.json,.txt" });
    file.setAttribute("aria-label", "A file with a recorded game");
    file.onchange = async () => { record.value = await file.files[0].text(); };
    record.before(file);
  }
  clearTimeout(timer);
  if (main().dataset.refresh) timer = setTimeout(look, POLL);
}

// Reloads a page that is not complete yet. On a film page only the thoughts are replaced.
async function look() {
  const part = find("#thought"), where = main().dataset.refresh;
  if (busy) { timer = setTimeout(look, POLL); return; }
  try {
    const answer = await fetch(where, { headers: shape() }), html = await answer.text(), next = read(html), fresh = next.querySelector("#thought");
    if (part && !part.isConnected) return; // another position is shown now
    if (!part || !fresh) return take(html, answer.url);
    part.replaceWith(document.adoptNode(fresh));
    if (next.querySelector("main").dataset.refresh) timer = setTimeout(look, POLL);
    else delete main().dataset.refresh;
  } catch { offline(); }
}

document.addEventListener("submit", event => {
  const form = event.target, where = form.getAttribute("action"); // `form.action` is a field of that name
  if (form.matches(".film")) {
    event.preventDefault();
    follow(`${where}?${new URLSearchParams(new FormData(form))}`);
  }
  if (form.method !== "post" || form.matches(".leads")) return; // a new page, so that Back returns to this one
  event.preventDefault();
  send(form, event.submitter);
});
document.addEventListener("click", event => {
  const fold = event.target.closest("summary")?.parentElement;
  if (fold?.id) folds.set(fold.id, !fold.open);
  const target = event.target.closest("#picture :is(.target, [data-refused])"), link = event.target.closest(".step, #moves a");
  if (target && texts().length) target.dataset.refused ? explain(target.dataset.refused) : press(target);
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); follow(link.href); }
});
document.addEventListener("input", event => {
  if (!event.target.matches(".film input[type=range]")) return;
  clearTimeout(timer);
  timer = setTimeout(() => event.target.form.requestSubmit(), 120);
});
document.addEventListener("change", event => { if (event.target.matches(".film select")) event.target.form.requestSubmit(); });
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target.closest?.("#picture .target");
  if (target && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); if (!event.repeat) press(target); }
  if (event.key === "Escape" && picks.size) { picks = new Map(); mark(); }
  if (find(".film") && !event.target.matches("input, select, textarea, #moves") && ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
    event.preventDefault();
    go(event.key);
  }
});
const large = document.getElementById("large"); // kept from page to page
large.checked = sessionStorage.getItem("large") === "yes";
large.addEventListener("change", () => sessionStorage.setItem("large", large.checked ? "yes" : "no"));
NARROW.addEventListener("change", () => { if (find("#picture")) get(location.href).catch(offline); });
window.addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
dress();
