import { homeFolder } from "../../../config/layers/home-folder.ts";
import { fileReaders, type Readers } from "../../../config/layers/readers.ts";
import type { ConfigInput } from "../../../config/load-config.ts";
import type { NameList } from "../../../core/codes/origin.ts";
import { loadCommandReader } from "../../../runtime/permissions/command-reader.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES, type Overrides } from "../command-line/overrides.ts";

/** Where configuration is looked for, and what the command line puts on top of it. */
export function toConfigInput({ io, args, log }: CommandInput, overrides: Overrides = NO_OVERRIDES): ConfigInput {
  const { agent, model, mode, include, exclude } = overrides;
  return {
    cwd: io.cwd,
    home: homeFolder(io.env),
    env: io.env,
    flags: {
      config: args.value("config") ?? undefined,
      // The one that works for another is looked up beside the selected one.
      agent: args.has("subagent") ? undefined : agent?.value,
      model: model?.value,
      mode: mode?.value,
      include: texts(include),
      exclude: texts(exclude),
    },
    readers: readOnce(fileReaders, log.debug),
    loadCommandReader,
  };
}

function texts(list: NameList | null): readonly string[] | undefined {
  return list?.value.map(({ value }) => value);
}

/** Each file is read once, so that what is trusted or compared is what was shown. */
function readOnce(readers: Readers, tell: (text: string) => void): Readers {
  const known = new Map<string, Promise<string | null>>();
  return {
    ...readers,
    readText(path) {
      const text = known.get(path) ?? readers.readText(path);
      if (!known.has(path))
        void text.then(
          (found) => (found === null ? undefined : tell(`read ${Buffer.byteLength(found)} bytes of ${path}`)),
          () => undefined,
        );
      known.set(path, text);
      return text;
    },
  };
}
