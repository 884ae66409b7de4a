import type { Source } from "../../../sources/source.ts";
import type { Logger } from "../../../system/logger.ts";
import type { Emitter } from "../../events/emitter.ts";
import type { StoredQuestions } from "../../permissions/asking.ts";
import { askPeople } from "./ask-people.ts";
import { createElicitationClient, type ElicitationHandler } from "./elicitation.ts";
import { withClient } from "./with-client.ts";

export interface ServerAskingPorts {
  readonly sessionId: string;
  readonly newId: () => string;
  readonly emit: Emitter["emit"];
  readonly questions: StoredQuestions | undefined;
  readonly logger: Logger;
}

/** Lets a server ask people in the middle of a call; one that never asks stays as it is. */
export function askThroughServers(
  source: Source,
  handler: ElicitationHandler | null | undefined,
  { sessionId, logger, ...people }: ServerAskingPorts,
): Source {
  if (!handler || source.asksBack !== true) return source;
  const server = source.name;
  return withClient(source, ({ toolCallId }) =>
    createElicitationClient(
      { server, sessionId },
      (request, signal) => {
        const asked = { toolCallId, server, message: request.message };
        return askPeople(people, "elicitation", asked, () => handler(request, signal), signal);
      },
      logger,
    ),
  );
}
