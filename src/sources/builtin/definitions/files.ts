import { builtin } from "./builtin.ts";
import { creates, edits, patches, reads } from "./touches.ts";

const files = async () => (await import("../files/file-family.ts")).createFileFamily();
const search = async () => (await import("../search/search-family.ts")).createSearchFamily();

const path = { type: "string", description: "Path inside the workspace" };
const reading = { readOnly: true, idempotent: true, openWorld: false } as const;

/** Tools that read and change files of the workspace. */
export const FILE_TOOLS = [
  builtin({
    name: "view",
    sets: ["read", "Read", "LS"],
    load: files,
    touches: reads,
    oneFile: "path",
    claude: ["Read"],
    aliases: ["readFile", "listDirectory"],
    description:
      "Shows a file with line numbers, a range of its lines, or a folder two levels deep. A long file is cut, and the note at the end says how to go on.",
    inputSchema: {
      type: "object",
      properties: {
        path,
        view_range: {
          type: "array",
          items: { type: "integer" },
          minItems: 2,
          maxItems: 2,
          description: "First and last line; -1 as last means to the end",
        },
      },
      required: ["path"],
    },
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
    inputSchema: { type: "object", properties: { path }, required: ["path"] },
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
    aliases: ["createFile"],
    description: "Creates a file, with its folders, or replaces a file that exists when asked to.",
    inputSchema: {
      type: "object",
      properties: {
        path,
        content: { type: "string", description: "The whole text of the file" },
        overwrite: { type: "boolean", description: "Replace a file that exists; false if absent" },
      },
      required: ["path", "content"],
    },
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
    inputSchema: {
      type: "object",
      properties: {
        path,
        old_str: { type: "string", description: "Exact text to replace, with enough around it to be unique" },
        new_str: { type: "string", description: "Text to put in its place" },
        replace_all: { type: "boolean", description: "Replace every occurrence; false if absent" },
      },
      required: ["path", "old_str", "new_str"],
    },
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
    inputSchema: {
      type: "object",
      properties: { input: { type: "string", description: "The patch" } },
      required: ["input"],
    },
    variant: "edit:patch",
    requires: ["workspace"],
    traits: { openWorld: false },
  }),
  builtin({
    name: "glob",
    sets: ["search", "Glob"],
    load: search,
    touches: reads,
    claude: ["Glob"],
    aliases: ["fileSearch"],
    description: "Finds files by a glob pattern, newest first. What .gitignore names is left out.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "Such as src/**/*.ts; without a slash it fits names in all folders" },
        path: { ...path, description: "Folder to look in; the workspace if absent" },
      },
      required: ["pattern"],
    },
    requires: ["workspace"],
    traits: reading,
  }),
  builtin({
    name: "grep",
    sets: ["search", "Grep"],
    load: search,
    touches: reads,
    claude: ["Grep"],
    aliases: ["textSearch"],
    description:
      "Searches file contents by a regular expression. What .gitignore names, and binary files, are left out.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "Regular expression (RE2: no look-around, no back-references)" },
        path: { ...path, description: "File or folder to search; the workspace if absent" },
        glob: { type: "string", description: "Only files that match, such as *.ts, src/**/*.ts or !*.md" },
        type: { type: "string", description: "Only files of this type, such as ts or py" },
        output_mode: {
          type: "string",
          enum: ["content", "files_with_matches", "count"],
          description: "files_with_matches if absent",
        },
        "-i": { type: "boolean", description: "Ignore case" },
        "-n": { type: "boolean", description: "Line numbers, in content mode" },
        "-A": { type: "integer", minimum: 0, description: "Lines after each match" },
        "-B": { type: "integer", minimum: 0, description: "Lines before each match" },
        "-C": { type: "integer", minimum: 0, description: "Lines around each match" },
        multiline: { type: "boolean", description: "Let the pattern span lines" },
        head_limit: { type: "integer", minimum: 1, description: "At most so many lines or files; 250 if absent" },
      },
      required: ["pattern"],
    },
    requires: ["workspace"],
    traits: reading,
  }),
] as const;
