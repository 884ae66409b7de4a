import type { MoneyAllowance } from "../limits/money-limits.ts";
import type { ModelClient, ModelRequest } from "./model.ts";
import { ModelError } from "./model-error.ts";
import { costOf, priceOf } from "./prices.ts";

/** The model for somebody whose money is limited: it is not asked beyond that, and what it costs is counted. */
export function limitModel(model: ModelClient, allowance: () => Promise<MoneyAllowance | null>): ModelClient {
  return {
    id: model.id,
    provider: model.provider,
    wire: model.wire,
    watch: () => model.watch(),
    stream: (request, signal) => ask(model, allowance, request, signal),
  };
}

async function* ask(
  model: ModelClient,
  allowance: () => Promise<MoneyAllowance | null>,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, void> {
  const money = await allowance();
  if (money === null) {
    yield* model.stream(request, signal);
    return;
  }
  const price = priceOf(model.provider, model.id);
  const refusal = price === null && money.isHard ? whyUnpriced(model) : await money.refusal();
  if (refusal !== null) throw new ModelError(`the model was not asked: ${refusal}`, { isPassing: false });
  const watch = model.watch();
  try {
    for await (const event of model.stream(request, signal)) {
      watch.push(event);
      yield event;
    }
  } finally {
    // What was said before it broke off costs too.
    if (watch.usage !== null && price !== null) money.spend(costOf(watch.usage, price) * 1e6);
  }
}

function whyUnpriced({ provider, id }: ModelClient): string {
  return `the price of ${provider}/${id} is not known, so the money that gateway.limits allows cannot be counted`;
}
