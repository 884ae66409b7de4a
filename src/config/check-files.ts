import type { Origin } from "../core/codes/origin.ts";
import { isToolcribError, type ToolcribError } from "../core/codes/toolcrib-error.ts";
import { findFiles } from "./layers/find-files.ts";
import { readLayers } from "./layers/read-layers.ts";
import { fileReaders } from "./layers/readers.ts";
import type { ConfigInput } from "./load-config.ts";

/** One mistake in one file. */
export interface FileProblem {
  readonly code: ToolcribError["code"];
  readonly text: string;
  readonly names: readonly string[];
  readonly origin: Origin;
}

/** All mistakes of all files: an unreadable file does not prevent checking the others. */
export async function checkFiles(input: ConfigInput): Promise<readonly FileProblem[]> {
  const { cwd, home, env, flags = {}, readers = fileReaders, systemPolicy = "/etc/toolcrib/policy.yaml" } = input;
  const problems: FileProblem[] = [];
  const collect = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isToolcribError(error)) throw error;
      for (const one of toProblems(error)) problems.push(one);
    }
  };
  await collect(async () => {
    const { files } = await findFiles({ cwd, home, env, named: flags.config ?? null, systemPolicy }, readers);
    for (const file of files) await collect(() => readLayers([file], readers));
  });
  return problems;
}

/** Several mistakes come as one error. */
function toProblems({ code, parts }: ToolcribError): readonly FileProblem[] {
  return parts.map(({ what, names, origin }) => ({ code, text: what, names, origin: origin ?? { kind: "default" } }));
}
