import type { Definition } from "./definition-texts.ts";
import { toWords } from "./definition-texts.ts";

const CHANGES =
  /^(?:delete|remove|create|update|write|send|post|drop|purge|destroy|erase|wipe|kill|terminate|revoke|publish|upload|insert|modify|overwrite|truncate|transfer|pay|deploy|merge|push|install|uninstall|reset|disable|rename|move|edit|patch|append|execute|exec|shutdown|reboot|format|clear|grant|buy|order|book|refund|cancel|archive|close|submit|approve|reject|stop|restart|rotate|deactivate|add|set|put|save|commit|email|charge|withdraw|sell|invite|ban|kick|assign|unassign|subscribe|unsubscribe|provision|migrate|restore|rollback|unlock|mint|burn|flush|detach|attach|enroll|dismiss|expire|apply|replace|donate|suspend|activate|enable|toggle|mutate|upsert|wipe\w*|erase\w*|delete(?!d$|s$)\w+)$/;
const DESTROYS =
  /^(?:delete|remove|drop|purge|destroy|erase|wipe|truncate|overwrite|format|kill|terminate|revoke|uninstall|shutdown|reset|clear)$/;
/** Processes can be ended and started again. */
const ENDS = /^(?:kill|terminate|shutdown)$/;
const RUNS = /^(?:apps?|process|processes|sessions?|browsers?|jobs?|calls?|query|queries|connections?|tasks?)$/;
const READS =
  /^(?:get|list|read|search|find|fetch|view|show|describe|count|check|query|lookup|inspect|preview|validate|diff|explain|analyze|analyse|compare|estimate|calculate|verify|test|suggest|recommend|is|has|can|retrieve|export|download|watch|wait|status|dry|simulate|plan|generate|render|format|convert|parse|detect|monitor|browse|resolve|summarize|audit)$/;
const SAYS_CHANGES =
  /^(?:(?:permanently|irreversibly|immediately|recursively|forcefully|safely|quickly|bulk|batch) )?(?:deletes?|removes?|writes?|overwrites?|sends?|drops?|purges?|destroys?|erases?|wipes?|terminates?|truncates?|transfers?|publishes|publish|uploads?|revokes?|executes? (?:an? |any )?(?:arbitrary |shell |the )?(?:given )?(?:commands?|code|script|sql)|runs? (?:an? |any )?(?:arbitrary |shell )(?:commands?|code)|creates?|updates?|modif(?:y|ies)|inserts?|installs?|posts?|merges?|deploys?|cancels?|charges?|refunds?|withdraws?|pays?|disables?|resets?|restarts?|stops?|kills?|shuts? down|renames?|rotates?|replaces?|grants?|invites?|bans?|suspends?|(?:makes?|places?) (?:an? )?(?:payments?|transfers?|purchases?|bookings?|orders?|changes?))\b/;
const SAYS_DESTROYS =
  /\b(?:permanently|irreversibly|cannot be undone|irreversible|unrecoverabl[ey]|without recovery|no undo)\b|^(?:(?:permanently|irreversibly) )?(?:deletes?|drops?|purges?|destroys?|erases?|wipes?|truncates?|overwrites?)\b/;
/** Said of the tool itself, at the start of a sentence or after its first verb. */
const ALSO_DESTROYS =
  /(?:^|[.!;:]\s+|,\s+|\b(?:and|then|also|it|which)\s+)(?:then |also |permanently |irreversibly |immediately |re-?|force-?)?(?:deletes|drops|purges|destroys|erases|wipes|truncates|overwrites|formats|revokes|terminates|shuts (?:\w+ ){0,3}down|kills|bans|uninstalls|empties|cancels|refunds|wires|pushes|removes|recreates|disables|closes (?:the|an?|your) account)\b(?! (?:duplicate|noise|whitespace|blank|html|markup|comments|stop|it from the (?:output|result)))/u;
const NO_WAY_BACK =
  /\b(?:cannot be undone|can't be undone|irreversibl[ey]|unrecoverabl[ey]|no undo|for good|permanently (?:delete|remove|erase|destroy|close|wipe|lose)\w*)\b/u;
const SAYS_OUTSIDE =
  /^(?:sends?|posts?|uploads?|e-?mails?|publish(?:es)?|tweets?|fetch(?:es)?|downloads?|calls?|browses?|search(?:es)?) .{0,60}\b(?:internet|web|url|https?|external|remote|third[- ]party|email|e-mail|slack|webhook)\b/;

const MAX_READ = 20_000;
const SENTENCE_END = /(?<=[.!?])\s|\n/;

/** `Gets a post`, `Searches the archive`, `Runs a read-only query`: the name has a noun that looks like a verb. */
function saysItReads(first: string): boolean {
  const [verb = ""] = /^[a-z]+/.exec(first) ?? [];
  const base = verb.replace(/(?<=(?:s|x|z|ch|sh))es$|(?<!s)s$/, "").replace(/ie$/, "y");
  const reads =
    (READS.test(base) && base !== "format") || /^(?:return|provide|say|tell|estimate|display|look)$/.test(base);
  return (
    (reads && !/^gets? rid\b/.test(first)) || /\bread[- ]only\b|^reports? (?:whether|if|how|which|what)\b/.test(first)
  );
}

/** What a word of a name says. */
interface Sense {
  readonly changes: boolean;
  readonly reads: boolean;
  readonly destroys: boolean;
}

const NO_SENSE: Sense = { changes: false, reads: false, destroys: false };

/** Cached: names are made of few words, and of numbers that say nothing. */
const senses = new Map<string, Sense>();
const MAX_SENSES = 4_000;

function senseOf(word: string): Sense {
  if (!/^[a-z]/.test(word)) return NO_SENSE;
  const earlier = senses.get(word);
  if (earlier !== undefined) return earlier;
  const sense = { changes: CHANGES.test(word), reads: READS.test(word), destroys: DESTROYS.test(word) };
  if (senses.size >= MAX_SENSES) senses.clear();
  senses.set(word, sense);
  return sense;
}

/** What contradicts a claim of the definition in its name or its first sentence; null if they agree. */
export function findMismatch({ name, description, claims }: Definition): string | null {
  if (!claims.readOnly && !claims.harmless && !claims.closedWorld) return null;
  const words = toWords(name).toLowerCase().split(" ");
  const verb = words.find((word) => senseOf(word).changes || senseOf(word).reads) ?? "";
  const text = description.slice(0, MAX_READ).trim().toLowerCase();
  const end = text.search(SENTENCE_END);
  const first = end === -1 ? text : text.slice(0, end);
  if (claims.readOnly) {
    if (senseOf(verb).changes && !saysItReads(first))
      return `is called ${JSON.stringify(name.slice(0, 80))} and claims to only read`;
    if (words.some((word) => senseOf(word).destroys && word !== "format") && !saysItReads(first))
      return `is called ${JSON.stringify(name.slice(0, 80))} and claims to only read`;
    if (SAYS_CHANGES.test(first)) return "says that it changes something and claims to only read";
    if (ALSO_DESTROYS.test(text) || NO_WAY_BACK.test(text))
      return "says that it destroys something and claims to only read";
  }
  if (claims.harmless && !claims.readOnly) {
    if (senseOf(verb).destroys && !(ENDS.test(verb) && words.some((word) => RUNS.test(word))))
      return `is called ${JSON.stringify(name.slice(0, 80))} and claims to destroy nothing`;
    if (SAYS_DESTROYS.test(first)) return "says that it destroys something and claims not to";
  }
  if (claims.closedWorld && SAYS_OUTSIDE.test(first)) return "reaches outside and claims not to";
  return null;
}
