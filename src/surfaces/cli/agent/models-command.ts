import type { Config } from "../../../config/config.ts";
import { listProviderModels, type ProviderModels, providerNames } from "../../../runtime/models/list-models.ts";
import { toModelPlace } from "../../../runtime/models/model-place.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { readTimeout } from "../command-line/number-options.ts";
import { printAnswer } from "../command-line/print-answer.ts";
import { loadAsked } from "../configuration/load-asked.ts";
import type { Io } from "../terminal/io.ts";
import { adviseName, countText } from "../terminal/name-list.ts";
import { showProgress } from "../terminal/progress-line.ts";
import { createStyle } from "../terminal/style.ts";
import { formatTable } from "../terminal/table.ts";

/** `toolcrib models [PROVIDER]`: who serves models here, and which. Status 1 where nobody does. */
export async function runModels(input: CommandInput): Promise<number> {
  const { io, args } = input;
  const [named, ...more] = args.operands;
  if (more.length > 0) throw usage(`toolcrib models has no use for ${JSON.stringify(more[0])}`);
  const config = await loadAsked(input);
  input.log.notices(config.notices.filter(({ code }) => code === "config.variable-unset"));
  const known = providerNames(config);
  if (named !== undefined && !known.includes(named))
    throw usage(`there is no provider "${named}"; ${adviseName(named, known, "").text}`);
  const found = await askAll(input, config, named === undefined ? known : [named]);
  printAnswer(input, { providers: found }, () => formatProviders(found, named !== undefined, io));
  return found.some(({ state }) => state === "reachable") ? 0 : 1;
}

async function askAll({ io, args }: CommandInput, config: Config, names: readonly string[]) {
  const signal = AbortSignal.timeout(readTimeout(args));
  const endProgress = showProgress(io, (waited) => (waited < 300 ? null : "asking providers for their models"));
  try {
    const place = toModelPlace(io, config);
    const found = await Promise.all(names.map((name) => listProviderModels(name, place, signal)));
    return found.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  } finally {
    endProgress();
  }
}

const ORDER: readonly ProviderModels["state"][] = ["reachable", "unreachable", "not set up"];
/** More are shown where somebody asks for one provider. */
const MOST = 20;

function formatProviders(found: readonly ProviderModels[], isAsked: boolean, io: Io): string {
  const style = createStyle(io);
  const columns = [
    { heading: "PROVIDER" },
    { heading: "STATE" },
    { heading: "ADDRESS", shrinks: true },
    { heading: "WHY NOT", shrinks: true },
  ];
  const rows = found.map(({ provider, state, address, reason, models }) => [
    provider,
    state === "reachable" ? countText(models.length, "model") : state,
    address ?? "",
    reason ?? "",
  ]);
  const [heading = "", ...lines] = formatTable(
    columns,
    rows.map((row) => row.map(escapeText)),
    io.columns,
  );
  const lists = found.flatMap(({ provider, models }) => {
    if (models.length === 0) return [];
    const shown = models.slice(0, isAsked ? undefined : MOST).map((id) => escapeText(`${provider}/${id}`));
    const rest = models.length - shown.length;
    return ["", ...shown, ...(rest > 0 ? [`and ${rest} more: toolcrib models ${escapeText(provider)}`] : [])];
  });
  return `${[style.bold(heading), ...lines, ...lists].join("\n")}\n`;
}
