import { expect, it } from "vitest";
import { tellingLine } from "./telling-line.ts";

it.each([
  ["nothing", null, null],
  ["blank lines", "\n  \n", null],
  ["the last line", "starting\nset ACME_KEY\n\n", "set ACME_KEY"],
  [
    "the error of a Node program that crashed",
    "node:internal/modules/cjs/loader:1215\n  throw err;\n  ^\n\nError: Cannot find module '/x.mjs'\n    at Module._load (node:internal:1:2) {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n\nNode.js v20.20.2\n",
    "Error: Cannot find module '/x.mjs'",
  ],
  [
    "what a Node program threw that is no error",
    "x.mjs:1\nthrow 5\n^\n5\n(Use `node --trace-uncaught`)\n\nNode.js v22.0.0",
    "(Use `node --trace-uncaught`)",
  ],
  [
    "why npx found no package",
    "npm error code E404\nnpm error 404 Not Found - GET https://host/acme\nnpm error 404\nnpm error A complete log of this run can be found in: /log\n",
    "npm error 404 Not Found - GET https://host/acme",
  ],
  [
    "why npx failed where npm cannot write its log",
    "npm warn config\nnpm error code ECONNREFUSED\nnpm error syscall connect\nnpm error FetchError: request to http://host/x failed, reason: connect ECONNREFUSED\nnpm error Log files were not written due to an error writing to the directory: /x\nnpm error You can rerun the command with `--loglevel=verbose` to see the logs in your terminal\n",
    "npm error FetchError: request to http://host/x failed, reason: connect ECONNREFUSED",
  ],
  [
    "why uvx found no package, in one line",
    "  × No solution found when resolving tool dependencies:\n  ╰─▶ Because acme was not found in the package registry and you require acme,\n      we can conclude that your requirements are unsatisfiable.\n",
    "Because acme was not found in the package registry and you require acme, we can conclude that your requirements are unsatisfiable.",
  ],
  [
    "what docker says, without its advice",
    "Unable to find image 'acme:latest' locally\ndocker: Error response from daemon: pull access denied for acme\n\nRun 'docker run --help' for more information\n",
    "docker: Error response from daemon: pull access denied for acme",
  ],
  [
    "the error of a Python program",
    "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\nModuleNotFoundError: No module named 'acme'\n",
    "ModuleNotFoundError: No module named 'acme'",
  ],
  [
    "why a Go program panicked",
    "panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:4 +0x25\nexit status 2\n",
    "panic: no key",
  ],
  [
    "why a Rust program panicked",
    "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
    "no key",
  ],
  [
    "the deepest cause of a Java program",
    'Exception in thread "main" java.lang.RuntimeException: x\n\tat Main.main(Main.java:3)\nCaused by: java.io.IOException: no key\n\t... 1 more\n',
    "Caused by: java.io.IOException: no key",
  ],
  [
    "the error of a Deno program",
    "error: Uncaught (in promise) Error: no key\n    at file:///x.ts:1:7\n",
    "error: Uncaught (in promise) Error: no key",
  ],
  ["a long line, cut", "x".repeat(300), `${"x".repeat(200)}…`],
])("says %s", (_, stderr, line) => {
  expect(tellingLine(stderr)).toBe(line);
});
