import { join } from "node:path";
import { type EditedList, withItem, withoutItem } from "../../../config/edit/edit-list.ts";
import { findFiles, showPath } from "../../../config/layers/find-files.ts";
import { homeFolder } from "../../../config/layers/home-folder.ts";
import { fileReaders } from "../../../config/layers/readers.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { oneAtATime } from "../../../system/files/one-at-a-time.ts";
import { writeWhole } from "../../../system/files/write-whole.ts";
import type { Switches } from "../../http/api/ports.ts";
import type { CommandInput } from "../command-line/command.ts";
import { checkText, readOptionalFile } from "../configuration/edit-target.ts";

const LISTS = { tool: "excludeTools", server: "disabledServers" } as const;

/** Turns tools and servers on and off in `toolcrib.local.yaml`: a person's own file, which only narrows here. */
export function createSwitches({ io }: Pick<CommandInput, "io">, workspace: string): Switches {
  return {
    async turn(kind, name, isOn) {
      const key = LISTS[kind];
      const path = await findLocal(io.env, workspace);
      const file = showPath(path, { cwd: workspace, home: homeFolder(io.env) });
      return oneAtATime(path, async () => {
        const text = (await readOptionalFile(path)) ?? "";
        const edited: EditedList | null = isOn
          ? await withoutItem(text, file, key, name)
          : await withItem(text, file, key, name);
        if (edited === null) throw elsewhere(file, key, name);
        await checkText(edited.text, file);
        await writeWhole(path, edited.text);
        return { isOn, file, line: edited.line, text: `${key}: ${name}` };
      });
    },
  };
}

async function findLocal(env: CommandInput["io"]["env"], workspace: string): Promise<string> {
  const places = { cwd: workspace, home: homeFolder(env), env, named: null, systemPolicy: "" };
  const { files } = await findFiles(places, fileReaders);
  return files.find(({ layer }) => layer === "local")?.path ?? join(workspace, "toolcrib.local.yaml");
}

function elsewhere(file: string, key: string, name: string): ToolcribError {
  const text = `${key} of ${file} does not name ${name}, so something else keeps it off; its reasons say which line to change`;
  return new ToolcribError("config.elsewhere", text, { names: [name] });
}
