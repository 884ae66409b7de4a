import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { readWorld, type World } from "../../../core/scene/world.ts";
import { findJsonError } from "../../../core/shape/find-json-error.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { type Overrides, overrideScene } from "../command-line/overrides.ts";
import type { Io } from "../terminal/io.ts";
import type { Log } from "../terminal/log.ts";

/** A world as a file or standard input holds it, with the overrides applied. */
export async function readWorldFile(file: string, overrides: Overrides, io: Io, log: Log): Promise<World> {
  const shown = file === "-" ? "stdin" : file;
  log.debug(`reading ${shown}`);
  const text = file === "-" ? await io.readInput("end") : await readText(resolve(io.cwd, file), file);
  log.debug(`read ${Buffer.byteLength(text)} bytes of ${shown}`);
  const value = log.timed(`parsing ${shown}`, () => parseWorld(text, shown));
  const world = log.timed("reading the world", () => readWorld(value, shown, overrides.agent));
  const { model } = overrides;
  const { toModel } = model === null ? { toModel: null } : await import("../../../config/models.ts");
  const scene = overrideScene(world.scene, overrides);
  return {
    ...world,
    scene: model === null || toModel === null ? scene : { ...scene, model: toModel(model.value, model.origin) },
  };
}

async function readText(path: string, file: string): Promise<string> {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { toReadProblem } = await import("../../../system/paths/read-problem.ts");
    throw new ToolcribError(
      "world.not-found",
      `cannot read the world ${file}: ${toReadProblem(error)}; "toolcrib snapshot" writes one`,
      { names: [file] },
    );
  }
}

function parseWorld(text: string, file: string): unknown {
  const json = text.startsWith("\ufeff") ? text.slice(1) : text;
  const value = parseJson(json);
  if (value !== undefined) return value;
  const { line, column, text: problem } = findJsonError(json);
  throw new ToolcribError("world.invalid", `${file}:${line}:${column}: not valid JSON: ${problem}`, {
    origin: { kind: "file", file, line },
  });
}
