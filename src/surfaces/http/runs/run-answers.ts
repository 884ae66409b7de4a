import type { Caller } from "../../../core/people/person.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { PendingQuestion } from "../../../runtime/crib/question-desk.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import { decodePart, HttpRefusal } from "../api/answers.ts";
import type { QuestionAnswer, QuestionView, WantedRun } from "../api/api.ts";
import { type InspectorPorts, ownOf, type RunDesk } from "../api/ports.ts";
import { toShown } from "../api/shown-value.ts";
import type { LiveRuns, RunHistory } from "./run-log.ts";

/** The page's requests about runs. */
export interface RunAnswers {
  /** `runs`, `runs/new` and `runs/ID`. */
  answer(path: string): unknown;
  questions(): readonly QuestionView[];
  /** `POST runs` and `runs/ID/…`. */
  start(body: unknown, caller: Caller | null): Promise<{ readonly id: string }>;
  say(id: string, body: unknown): void;
  stop(id: string, body: unknown): Promise<void>;
  reply(questionId: string, body: unknown): void;
}

export function createRunAnswers(ports: InspectorPorts, log: RunHistory): RunAnswers {
  const { runs: desk, questions: asked, crib, redactor } = ports;
  const live = (): LiveRuns => ({
    waiting: new Set([
      ...crib.approvals.pending.map(({ request }) => request.sessionId),
      ...(asked?.pending ?? []).map(({ session }) => session),
    ]),
    isOpen: (id) => desk?.isOpen(id) ?? false,
  });
  return {
    answer(path) {
      const [, id] = path.split("/");
      if (id === undefined) return log.list(redactor(), live());
      if (id === "new") return needed(desk).setup();
      return log.find(decodePart(id), redactor(), live()) ?? refuse(404, "there is no such run, or not any more");
    },
    questions: () => (asked?.pending ?? []).map(toQuestionView),
    async start(body, caller) {
      const wanted = readWanted(body);
      const id = await needed(desk).start(wanted, caller);
      log.expect(id, "", wanted.prompt);
      return { id };
    },
    say(id, body) {
      if (!needed(desk).say(id, readPrompt(body))) refuse(404, "there is no such run, or not any more");
    },
    async stop(id, body) {
      const agent = readAgent(body);
      if (await needed(desk).stop(id, agent)) return;
      refuse(404, `there is no such ${agent === null ? "run" : "agent at work"}, or not any more`);
    },
    reply(id, body) {
      ownOf(ports);
      const question = asked?.pending.find((one) => one.id === id)?.asked;
      const isAnswered = question !== undefined && asked?.answer(id, readReply(question.kind, body));
      if (!isAnswered) refuse(404, "it was answered meanwhile, or nobody waits for it any more");
    },
  };
}

function needed(desk: RunDesk | undefined): RunDesk {
  return desk ?? refuse(404, "runs are only shown here; start them where they were started");
}

function refuse(status: 400 | 404, text: string): never {
  throw new HttpRefusal(status, status === 404 ? "http.not-found" : "http.invalid-request", text);
}

/** Which agent is meant; null: the whole run. A name that cannot be read must not end all of them. */
function readAgent(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (!isRecord(body)) return refuse(400, "the body is an object, such as { agent: ID }");
  const { agent = null } = body;
  return agent === null || typeof agent === "string" ? agent : refuse(400, "agent is the id of an agent");
}

const LONGEST_PROMPT = 50_000;

function readPrompt(body: unknown): string {
  const prompt = isRecord(body) ? body.prompt : undefined;
  if (typeof prompt !== "string" || prompt.trim() === "") refuse(400, "say something: the prompt is empty");
  if (prompt.length > LONGEST_PROMPT) refuse(400, `a prompt has at most ${LONGEST_PROMPT} characters`);
  return prompt;
}

const WORDS = ["model", "agent", "mode"] as const;

function readWanted(body: unknown): WantedRun {
  const prompt = readPrompt(body);
  const given = isRecord(body) ? body : {};
  const words = WORDS.flatMap((key): readonly (readonly [string, string])[] => {
    const value = given[key];
    if (value === undefined || value === "") return [];
    return typeof value === "string" ? [[key, value]] : refuse(400, `${key} is a text`);
  });
  const { maxCost } = given;
  if (maxCost !== undefined && !(typeof maxCost === "number" && maxCost > 0 && Number.isFinite(maxCost)))
    refuse(400, "maxCost is a number of US dollars");
  return { prompt, ...Object.fromEntries(words), ...(maxCost === undefined ? {} : { maxCost: Number(maxCost) }) };
}

/** An answer to a question. Anything unclear is refused, and the run keeps waiting. */
function readReply(kind: QuestionView["kind"], body: unknown): QuestionAnswer | string {
  const given = isRecord(body) ? body : {};
  switch (kind) {
    case "user_input":
      return typeof given.text === "string" ? given.text : refuse(400, 'send {"text": TEXT}');
    case "plan": {
      const { approved, feedback } = given;
      if (typeof approved !== "boolean") refuse(400, 'send {"approved": true or false, "feedback"?: TEXT}');
      return { approved, ...(typeof feedback === "string" && feedback !== "" ? { feedback } : {}) };
    }
    case "elicitation": {
      const { action, content } = given;
      if (action !== "accept" && action !== "decline" && action !== "cancel")
        refuse(400, 'send {"action": "accept", "decline" or "cancel", "content"?: {…}}');
      return { action, ...(isRecord(content) ? { content } : {}) };
    }
  }
}

/** A person answers what is shown here, so hardly anything is cut, and nothing is invisible. */
function toQuestionView({ id, session, client, since, asked }: PendingQuestion): QuestionView {
  const from = { id, session, client: revealText(client), since };
  switch (asked.kind) {
    case "user_input":
      return { ...from, ...asked, question: revealText(asked.question), choices: asked.choices.map(revealText) };
    case "plan":
      return { ...from, kind: "plan", plan: revealText(asked.plan) };
    case "elicitation": {
      const { server, message, requestedSchema, url } = asked.request;
      return {
        ...{ ...from, kind: "elicitation", server: revealText(server), message: revealText(message) },
        schema: toShown(requestedSchema, { characters: 50_000, values: 2_000 }),
        url: url === null ? null : revealText(url),
      };
    }
  }
}
