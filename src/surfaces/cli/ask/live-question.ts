import type { Config } from "../../../config/config.ts";
import { DEFAULT_SCENE } from "../../../core/scene/default-scene.ts";
import { sourceNotices } from "../../../runtime/report/source-report.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { Overrides } from "../command-line/overrides.ts";
import { toConfigInput } from "../configuration/config-input.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import { type LiveSession, withSession } from "../servers/live-session.ts";
import { reportOnce } from "../servers/source-reports.ts";
import type { ToolQuestion } from "./question.ts";

/** Questions that the configuration asks with each of these on top; what several of them need is started once. */
export async function loadLiveQuestions(
  input: CommandInput,
  asked: readonly Overrides[],
  change: (config: Config) => Config = (config) => config,
): Promise<readonly ToolQuestion[]> {
  const [first, ...others] = asked;
  if (first === undefined) return [];
  const configured = toConfigInput(input);
  const load = async (overrides: Overrides) =>
    change(
      await loadAsked(input, overrides, {
        ...toConfigInput(input, overrides),
        ...(configured.readers ? { readers: configured.readers } : {}),
      }),
    );
  return withSession(
    input,
    await load(first),
    async (live) => {
      const questions = [askNow(live)];
      for (const overrides of others) {
        await live.session.reconfigure(await load(overrides));
        await live.wait();
        questions.push(askNow(live));
      }
      return questions;
    },
    { keepsLists: true },
  );
}

/** What the session knows now, for the answer to be told when no server runs any more. */
function askNow({ session }: LiveSession): ToolQuestion {
  const { toolset } = session;
  const { catalog, scene, notices, leftOut = [] } = toolset;
  const sources = reportOnce(session);
  const { allowNoTools } = DEFAULT_SCENE.filter;
  return {
    tools: catalog.entries.map(({ tool }) => tool),
    scene: { ...scene, filter: { ...scene.filter, allowNoTools } },
    // A session may have no tool at all, which is a mistake in the question.
    ...(scene.filter.allowNoTools === allowNoTools ? { toolset } : {}),
    wireStyle: catalog.style,
    notices: [...notices, ...sourceNotices(sources)],
    leftOut,
    config: session.config,
    sources,
  };
}
