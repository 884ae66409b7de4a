import { type ClaimedSystem, differs, works } from "./claim.ts";

const LISTS = "test/seeds/vscode-include-exclude.test.ts";
const GATES = "src/core/gates/list-gates.test.ts";

/** The lists of a chat that is opened by a command. */
export const VS_CODE: ClaimedSystem = {
  title: "VS Code",
  about:
    "A chat is opened with `includeTools` and `excludeTools`. Options of a session, settings of a file and the flags `--include` and `--exclude` are the same two lists here.",
  parts: {
    "The two lists": [
      works(
        "without either list every tool is there",
        "test/seeds/copilot-runtime.test.ts",
        "neither is set: the tool is enabled",
      ),
      works(
        "`includeTools` alone: only what it names, here two toolsets",
        LISTS,
        "whitelist only: the edit and search toolsets",
      ),
      works("`excludeTools` alone: all but what it names", LISTS, "blacklist only: everything but the web toolset"),
      works(
        "both: first what the one names, then without what the other names",
        LISTS,
        "combined mode: the edit toolset without the dangerous deleteFile",
      ),
      works(
        "several toolsets can be put together, and one tool taken out again",
        LISTS,
        "add to defaults then remove: agent, read and web without fetch",
      ),
      works("the lists count in every mode, not for agents alone", LISTS, "filtering applies in %s mode"),
      works(
        "what they come to is what the session has: a call of a tool that they leave out is refused",
        "src/runtime/session/tools/session.test.ts",
        "E1: narrowing bites at once, widening waits for the next request",
      ),
      works(
        "the lists of an open session can be changed",
        "src/runtime/session/options/check-options.test.ts",
        "a list is replaced under either of its names, and both at once are a mistake",
      ),
    ],
    "What a name may be": [
      works("a tool and a toolset, each by its id or by its reference name", LISTS, "%s reaches %j"),
      works(
        "a name is tried as a toolset's id, a toolset's name, a tool's id and a tool's name, in this order",
        "src/core/catalog/resolver.test.ts",
        "toolset id, toolset name, tool id, name, alias, a server's own name, server",
      ),
      works(
        "a toolset beats a tool of the same name, and a notice says that the name is ambiguous",
        LISTS,
        "V12 gives no notice, V13 says that the name is ambiguous",
      ),
      works(
        "a toolset stands for all its members: they are looked up before anything is added or taken away",
        LISTS,
        "%s: include %j, exclude %j leaves %j",
      ),
      works("two spellings of one tool count once", LISTS, "V12 gives no notice, V13 says that the name is ambiguous"),
      works(
        "the name of a server, and `server/tool`",
        LISTS,
        "V15 to V17: a server's name, one of its tools, and an unknown name in an agent's list",
      ),
      works("a toolset is on when all its members are", LISTS, "a toolset is enabled when all its members are"),
      works(
        "it is off as soon as one of them is missing",
        LISTS,
        "V03 and V01: the set is on with all members, off with one missing",
      ),
    ],
    "Where lists meet": [
      works("a tool in both lists is excluded", LISTS, "a tool in both lists is excluded"),
      works(
        "the toolset is included and a member excluded: the rest of the toolset stays",
        LISTS,
        "a toolset in the include list, a member in the exclude list: the rest of the set stays",
      ),
      works(
        "the tool is included and its toolset excluded: the tool stays, because it was named itself",
        LISTS,
        "a tool in the include list, its toolset in the exclude list: the tool is included",
      ),
      works(
        "a tool that is excluded by its own name stays away, whatever includes it",
        GATES,
        "hides it by its own name behind all the patterns, although an include list names it (F2)",
      ),
    ],
    "Names that mean nothing, and lists that leave nothing": [
      works(
        "an unknown name is a warning and stops nothing",
        LISTS,
        "an unknown identifier is a warning and blocks nothing",
      ),
      works(
        "that warning is there wherever an agent runs, not only where tools are listed",
        "src/surfaces/cli/agent/run-command.test.ts",
        "names that nothing has are reported, as list does",
      ),
      works(
        "a tool that this model does not get is no unknown name",
        LISTS,
        "V20, V21: a tool that is not for this model is reported as such, and without a model it passes",
      ),
      works("an empty `includeTools` is an error", LISTS, "an empty include list is an error"),
      works("an empty `excludeTools` changes nothing", LISTS, "an empty exclude list has no effect"),
      works("lists that leave no tool are an error", LISTS, "a filter that leaves no tool is an error"),
      works(
        "that error names what was mistyped, in both lists",
        LISTS,
        "V10: the error carries the typo, of the exclude list too",
      ),
      differs(
        "at least one tool is left, whatever takes the others away",
        "where something else than the lists takes the last tool, such as policy, that is a notice and the session opens: nobody's typing is wrong, and `why` names what did it",
        GATES,
        "F4: nothing left by other gates is a notice, nothing left by the filter an error",
      ),
      differs(
        "a session without tools is refused",
        "a program that means it says `allowNoTools: true`",
        "src/runtime/session/options/check-options.test.ts",
        "a run without tools is opened where the host says that it means it (F4)",
      ),
    ],
    "Your files of VS Code": [
      works(
        "names of VS Code's tools and sets in agent files and lists mean the tools that do the same here",
        "test/seeds/vscode-names.test.ts",
        "VS Code's %s means %j",
      ),
      differs(
        "tools of the editor, such as `usages` and `problems`, are there",
        "they need the editor: their names are reported as unknown",
        "test/seeds/vscode-names.test.ts",
        "%s is a tool of the editor itself, so it is unknown here and is reported",
      ),
      works(
        "`tools` and `agent` of a `*.prompt.md` hold for its run",
        "src/surfaces/cli/agent/prompt-commands.test.ts",
        "what the prompt /%s says about tools and agents holds for its run",
      ),
      works(
        "chat modes and agent files are agents",
        "src/config/foreign/agent-files.test.ts",
        "chat modes of VS Code are agents, and an agent of the same name beats one",
      ),
      works(
        "`init` takes over the tool sets that you made",
        "src/config/import/import-foreign.test.ts",
        "tool sets that a person made in VS Code become toolsets",
      ),
    ],
  },
};
