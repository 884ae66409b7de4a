import type { Config } from "../../../config/config.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Mode } from "../../../core/scene/scene.ts";
import type { ExternalSource, ExternalTool, Registration } from "../../../sources/external/external-source.ts";
import type { OpenSession } from "../tools/session.ts";
import { checkChanges, checkHandlers, checkOptions } from "./check-options.ts";
import { type SessionOptions, withoutSynonyms, withoutUndefined } from "./session-options.ts";

/** The owner of the tools that options bring. */
const HOST = "host";

/** The options of a program as they are now, and the tools that it defines with them. */
export interface GivenOptions {
  readonly now: SessionOptions;
  /** A change of the model applies to the current agent; selecting an agent selects its model too. */
  readonly modelIsForced: boolean;
  load(call: string): Promise<Config>;
  /** The session changed its mode itself: later changes of other options keep that. */
  setMode(mode: Mode): void;
  setTools(owner: string, tools: readonly ExternalTool[]): Registration;
  /** One change after the other, so that each keeps what the one before it changed. */
  update(changes: SessionOptions, session: Pick<OpenSession, "reconfigure" | "config">): Promise<void>;
}

/** What a refused change takes back. */
interface Given {
  readonly options: SessionOptions;
  readonly modelIsForced: boolean;
  /** Of the host. */
  readonly tools: readonly ExternalTool[];
}

export function createGivenOptions(
  first: SessionOptions,
  external: ExternalSource,
  load: (options: SessionOptions, call: string) => Promise<Config>,
): GivenOptions {
  let given: Given = { options: first, modelIsForced: false, tools: first.tools ?? [] };
  /** How often `setTools` said what the host's tools are: the last call counts, even if an earlier one resolves later. */
  let hostSaid = 0;
  let updating: Promise<unknown> = Promise.resolve();
  external.setTools(HOST, given.tools);

  /** The options with the changes, and what they load to; an approved plan changes the mode whenever it likes. */
  const merge = async (changes: SessionOptions) => {
    for (;;) {
      const base = given.options;
      const options = { ...withoutSynonyms(base, changes), ...changes };
      const loaded = await load(options, "updateOptions");
      if (given.options === base) return { options, loaded };
    }
  };
  /**
   * Tools and options change together: a list of options may name what only the new tools have. Nothing is awaited
   * between the change and taking it back, so that a refused one is never seen and undoes nobody else's.
   */
  const update = async (
    wanted: SessionOptions,
    saidAt: number,
    session: Pick<OpenSession, "reconfigure" | "config">,
  ): Promise<void> => {
    checkOptions(wanted, "updateOptions");
    const changes = withoutUndefined(wanted);
    checkChanges(changes, given.options);
    const { options, loaded } = await merge(changes);
    const before = given;
    const tools = changes.tools === undefined || saidAt !== hostSaid ? given.tools : (changes.tools ?? []);
    given = { options, modelIsForced: forcesModel(changes, given.modelIsForced), tools };
    external.setTools(HOST, tools);
    const taken = session.reconfigure(loaded);
    if (session.config !== loaded) {
      given = before;
      external.setTools(HOST, given.tools);
    }
    await taken;
  };

  return {
    get now() {
      return given.options;
    },
    get modelIsForced() {
      return given.modelIsForced;
    },
    load: (call) => load(given.options, call),
    setMode(mode) {
      given = { ...given, options: { ...given.options, mode } };
    },
    setTools(owner, tools) {
      if (!Array.isArray(tools))
        throw new ToolcribError("tool.invalid", "setTools needs a list of tools after the owner");
      checkHandlers(tools, "setTools:");
      if (owner === HOST) {
        given = { ...given, tools };
        hostSaid += 1;
      }
      return external.setTools(owner, tools);
    },
    update(changes, session) {
      const saidAt = hostSaid;
      const done = updating.then(() => update(changes, saidAt, session));
      updating = done.catch(() => {});
      return done;
    },
  };
}

function forcesModel({ model, agent }: SessionOptions, isForced: boolean): boolean {
  return model === undefined ? agent === undefined && isForced : model !== null;
}
