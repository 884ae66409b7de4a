// The least that starting servers can cost: all are started at once and asked for their tools by a few lines.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { sayHello } from "./hello.mjs";
import { SERVERS } from "./servers.mjs";

await Promise.all(
  Object.values(SERVERS).map(({ command, args }) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
    return sayHello(child.stdin, createInterface({ input: child.stdout }));
  }),
);
console.log("ready");
