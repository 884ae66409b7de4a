import { isRecord } from "../../core/shape/is-record.ts";
import { withDropped } from "../../system/text/clean-content.ts";
import { dropHiddenParts } from "../../system/text/clean-text.ts";
import { cleanTexts } from "../../system/text/clean-texts.ts";

type Params = Readonly<Record<string, unknown>>;

/** Notifications are shown to people and models as results are, so they are cleaned the same way. */
export function cleanNotification(method: string, params: Params): Params {
  const { value, dropped } =
    method === "notifications/message" ? cleanLog(params) : cleanTexts(params, ["statusMessage"]);
  return dropped === 0 ? params : { ...value, _meta: withDropped(params._meta, dropped) };
}

/** All data of a log message is text to show. Messages are limited in depth, so walking one is safe. */
function cleanLog(params: Params): { readonly value: Params; readonly dropped: number } {
  let dropped = 0;
  const clean = (text: string): string => {
    const rest = dropHiddenParts(text);
    dropped += rest.dropped;
    return rest.text;
  };
  const look = (part: unknown): unknown => {
    if (typeof part === "string") return clean(part);
    if (Array.isArray(part)) return part.map(look);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [clean(key), look(inner)]));
  };
  const { data, logger } = params;
  const cleaned = {
    ...(data === undefined ? {} : { data: look(data) }),
    ...(logger === undefined ? {} : { logger: look(logger) }),
  };
  return { value: { ...params, ...cleaned }, dropped };
}
