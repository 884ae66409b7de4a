import { alone, builtin } from "./builtin.ts";
import { count, flagSchema, takes, textSchema } from "./takes.ts";
import { creates, edits, editsByCommand, patches, reads } from "./touches.ts";

const files = async () => (await import("../files/file-family.ts")).createFileFamily();
const search = async () => (await import("../search/search-family.ts")).createSearchFamily();

const path = textSchema("Path inside the workspace");
const lineRange = {
  type: "array",
  items: { type: "integer" },
  minItems: 2,
  maxItems: 2,
  description: "First and last line; -1 as last means to the end",
};
const reading = { readOnly: true, idempotent: true, openWorld: false } as const;

/** VS Code has one tool that finds code, in its set `search`. */
const SEARCHES = ["search", "codebase", "search/codebase"] as const;

/** Tools that read and change files of the workspace. */
export const FILE_TOOLS = [
  builtin({
    name: "view",
    sets: ["read", "Read", "LS"],
    load: files,
    touches: reads,
    oneFile: "path",
    claude: ["Read"],
    aliases: ["readFile", "listDirectory", "search/readFile", "search/listDirectory"],
    description:
      "Shows a file with line numbers, a range of its lines, or a folder two levels deep. A long file is cut, and the note at the end says how to go on.",
    inputSchema: takes({
      path,
      "view_range?": lineRange,
    }),
    requires: ["workspace"],
    traits: reading,
  }),
  builtin({
    name: "view_image",
    sets: ["read", "Read"],
    load: files,
    touches: reads,
    oneFile: "path",
    claude: ["Read"],
    aliases: ["viewImage"],
    description: "Shows an image file (PNG, JPEG, GIF or WebP, at most 5 MB) to the model.",
    inputSchema: takes({ path }),
    requires: ["workspace", "vision"],
    traits: reading,
  }),
  builtin({
    name: "create",
    sets: ["edit", "Edit", "Write"],
    load: files,
    touches: creates,
    oneFile: "path",
    claude: ["Write"],
    aliases: ["createFile", "createDirectory"],
    description: "Creates a file, with its folders, or replaces a file that exists when asked to.",
    inputSchema: takes({
      path,
      content: textSchema("The whole text of the file"),
      "overwrite?": flagSchema("Replace a file that exists; false if absent"),
    }),
    requires: ["workspace"],
    traits: { openWorld: false },
  }),
  builtin({
    name: "edit",
    sets: ["edit", "Edit", "MultiEdit"],
    load: files,
    touches: edits,
    oneFile: "path",
    claude: ["Edit", "MultiEdit"],
    aliases: ["editFiles", "replaceString"],
    description:
      "Replaces text in a file. The old text must occur exactly once, unless all occurrences are to be replaced.",
    inputSchema: takes({
      path,
      old_str: textSchema("Exact text to replace, with enough around it to be unique"),
      new_str: textSchema("Text to put in its place"),
      "replace_all?": flagSchema("Replace every occurrence; false if absent"),
    }),
    variant: "edit:replace",
    requires: ["workspace"],
    traits: { openWorld: false },
  }),
  builtin({
    name: "apply_patch",
    sets: ["edit", "Edit"],
    load: files,
    touches: patches,
    claude: ["Edit", "Write"],
    aliases: ["applyPatch"],
    description:
      "Applies a patch of the form `*** Begin Patch` … `*** End Patch` that adds, updates, moves or deletes files.",
    inputSchema: takes({ input: textSchema("The patch") }),
    variant: "edit:patch",
    requires: ["workspace"],
    traits: { openWorld: false },
  }),
  builtin({
    name: "str_replace_based_edit_tool",
    sets: ["edit", "Edit"],
    load: files,
    touches: editsByCommand,
    oneFile: "path",
    claude: ["Edit", "MultiEdit", "Write", "Read"],
    claudeFields: new Map([["file_text", "content"]]),
    aliases: ["str_replace_editor"],
    description:
      "Looks at files and changes them. `view` shows a file with line numbers or a folder, `create` makes a file, `str_replace` replaces a text that occurs exactly once, `insert` puts lines behind a line.",
    inputSchema: takes({
      command: textSchema(undefined, ["view", "create", "str_replace", "insert"]),
      path,
      "view_range?": lineRange,
      "file_text?": textSchema("For create: the whole text of the file"),
      "overwrite?": flagSchema("For create: replace a file that exists; false if absent"),
      "old_str?": textSchema("For str_replace: exact text to replace, with enough around it to be unique"),
      "new_str?": textSchema("For str_replace: text to put in its place; nothing if absent"),
      "replace_all?": flagSchema("For str_replace: replace every occurrence; false if absent"),
      "insert_line?": count("For insert: the line to insert behind; 0 for the start", 0),
      "insert_text?": textSchema("For insert: the lines"),
    }),
    variant: "edit:commands",
    requires: ["workspace"],
    traits: { openWorld: false },
  }),
  builtin({
    name: "project_instructions",
    sets: ["read"],
    load: alone(async () => (await import("../session/project-instructions.ts")).projectInstructions),
    touches: reads,
    description: "Reads what the project says about working on one file. Call it before you change a file.",
    inputSchema: takes({ path }),
    requires: ["workspace", "instructions"],
    traits: reading,
  }),
  builtin({
    name: "glob",
    sets: [...SEARCHES, "Glob"],
    load: search,
    touches: reads,
    claude: ["Glob"],
    aliases: ["fileSearch"],
    description: "Finds files by a glob pattern, newest first. What .gitignore names is left out.",
    inputSchema: takes({
      pattern: textSchema("Such as src/**/*.ts; without a slash it fits names in all folders"),
      "path?": textSchema("Folder to look in; the workspace if absent"),
    }),
    requires: ["workspace"],
    traits: reading,
  }),
  builtin({
    name: "grep",
    sets: [...SEARCHES, "Grep"],
    load: search,
    touches: reads,
    claude: ["Grep"],
    aliases: ["textSearch"],
    description:
      "Searches file contents by a regular expression. What .gitignore names, and binary files, are left out.",
    inputSchema: takes({
      pattern: textSchema("Regular expression (RE2: no look-around, no back-references)"),
      "path?": textSchema("File or folder to search; the workspace if absent"),
      "glob?": textSchema("Only files that match, such as *.ts, src/**/*.ts or !*.md"),
      "type?": textSchema("Only files of this type, such as ts or py"),
      "output_mode?": textSchema("files_with_matches if absent", ["content", "files_with_matches", "count"]),
      "-i?": flagSchema("Ignore case"),
      "-n?": flagSchema("Line numbers, in content mode"),
      "-A?": count("Lines after each match", 0),
      "-B?": count("Lines before each match", 0),
      "-C?": count("Lines around each match", 0),
      "multiline?": flagSchema("Let the pattern span lines"),
      "head_limit?": count("At most so many lines or files; 250 if absent", 1),
    }),
    requires: ["workspace"],
    traits: reading,
  }),
] as const;
