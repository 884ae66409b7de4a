import type { Config } from "../../../config/config.ts";
import { describeJudged, judgeInstructions, type ModelVerdict, readVerdict } from "../../../core/agent/judging.ts";
import type { Sourced } from "../../../core/codes/origin.ts";
import type { Clock } from "../../../system/time/clock.ts";
import { untilAborted } from "../../../system/time/until-aborted.ts";
import { withTimeout } from "../../../system/time/with-timeout.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { ModelPlace } from "../../models/find-model.ts";
import type { ModelClient } from "../../models/model.ts";
import type { Classification, Classifier } from "../../permissions/classifier.ts";
import { leaveToPeople } from "../../permissions/leave-to-people.ts";
import type { PermissionRequest } from "../../permissions/permission-request.ts";

export interface ModelClassifierPorts {
  readonly limitModel?: ((model: ModelClient) => Promise<ModelClient>) | undefined;
  readonly config: () => Config;
  readonly models: () => ModelPlace;
  readonly emit: Emitter["emit"];
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Milliseconds that a verdict may take. After that a person is asked, as without a classifier. */
const PATIENCE = 20_000;
const MAX_TOKENS = 300;

/** The classifier that `permissions.classifier` names: a fast rule, then a model. Null where the setting is off. */
export function createModelClassifier(ports: ModelClassifierPorts): () => Classifier | null {
  let last: { readonly setting: Sourced<string>; readonly classifier: Classifier } | null = null;
  return () => {
    const setting = ports.config().permissions.classifier;
    if (setting === null) return null;
    if (last?.setting !== setting) last = { setting, classifier: toClassifier(setting, ports) };
    return last.classifier;
  };
}

function toClassifier({ value: name, origin }: Sourced<string>, ports: ModelClassifierPorts): Classifier {
  let found: Promise<ModelClient> | null = null;
  const model = (): Promise<ModelClient> => {
    found ??= import("../../models/find-model.ts")
      .then(({ findModel }) => findModel(name, null, ports.models()))
      .then((own) => ports.limitModel?.(own) ?? own);
    // A key that is missing now may be there at the next call.
    found.catch(() => (found = null));
    return found;
  };
  return {
    filter: leaveToPeople,
    async judge(request): Promise<Classification> {
      // A model that answers late, or never, holds nobody up: what it says then counts for nothing.
      const said = await withTimeout(ports.clock, PATIENCE, request.signal, (signal) => {
        const asking = model().then((found) => askModel(found, request, signal, ports));
        return untilAborted(asking, signal, () => null);
      });
      if (said === null || said.verdict === "unsure") return { verdict: "unsure" };
      return {
        verdict: said.verdict,
        origin,
        reason: `the classifier (${name}) finds it ${said.verdict}: ${said.reason}`,
      };
    },
  };
}

async function askModel(
  model: ModelClient,
  { toolName, toolArgs, source, kind, description, reason }: PermissionRequest,
  signal: AbortSignal,
  { emit, newId }: ModelClassifierPorts,
): Promise<ModelVerdict | null> {
  const [{ askText }, { costOf, priceOf }] = await Promise.all([
    import("../../models/ask-text.ts"),
    import("../../models/prices.ts"),
  ]);
  const mark = newId();
  const text = describeJudged({ tool: toolName, source, kind, description, reason, arguments: toolArgs });
  const answer = await askText(model, { task: judgeInstructions(mark), text, maxTokens: MAX_TOKENS }, signal);
  if (answer.usage !== null) {
    const { input, output, cached } = answer.usage;
    const price = priceOf(model.provider, model.id);
    const cost = price === null ? null : costOf(answer.usage, price);
    const tokens = { inputTokens: input, outputTokens: output, cachedTokens: cached };
    emit("assistant.usage", { model: model.id, ...tokens, cost, purpose: "permission" });
  }
  return answer.isWhole ? readVerdict(answer.text, mark) : null;
}
