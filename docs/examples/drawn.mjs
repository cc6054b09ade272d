#!/usr/bin/env node
// Draws one of the legal actions, and keeps what it has seen of each game until that is over.
import { createInterface } from "node:readline";

const games = new Map();
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

for await (const line of createInterface({ input: process.stdin })) {
  const told = JSON.parse(line);
  if (told.type === "hello") say({ type: "hello", protocol: 2 });
  if (told.type === "start") games.set(told.id, []);
  if (told.type === "decision") {
    games.get(told.id).push(...told.events);
    const action = told.legal[told.seed % told.legal.length];
    say({ type: "action", id: told.id, decision: told.decision, action });
  }
  if (told.type === "result") games.delete(told.id);
}
