import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import type { HookClientName } from "./hook-clients.ts";
import { QUESTION_HEAD, SETTING_VARIABLES } from "./hook-question.ts";
import { SEAL } from "./sealed-answer.ts";

/** What to write into a client's file as the time that it waits. A client that gives up makes the call. */
export const CLIENT_SECONDS = 10;

/** Within these the script answers, come what may. */
export const LINE_SECONDS = 8;

/** Of these, what a running Toolcrib gets before the script decides without it. */
export const ASK_SECONDS = 2;

/**
 * The line in a client's file. It ends with 0 if `script`, the file with the text of `hookScript`, has answered, and with 2
 * otherwise: also if the script is gone, empty or cut short. It means the same in sh, bash, zsh and fish.
 */
export function hookLine(client: HookClientName, script: string): string {
  return `/bin/sh -c '. "$0"; exit 2' ${quoteWord(script)} ${client} || exit 2`;
}

export interface HookScriptParts {
  /** Absolute paths of what decides where no Toolcrib runs: Node and its `bin/toolcrib.js`, or one program. */
  readonly program: readonly string[];
  /** Folders with perl, cat and sleep. The client's own PATH may begin with a folder of the repository. */
  readonly tools?: readonly string[];
}

/**
 * The text of the one file behind every line (mode 600, written whole). It asks the running Toolcribs at their sockets in the
 * person's state folder, and starts `program` if none answers. All of it is read before any of it runs, and it takes only
 * answers that carry their seal.
 *
 * Perl asks, where it is there: it starts in a third of curl's time, and its alarm ends it without a second process that watches.
 */
export function hookScript({ program, tools = ["/usr/bin", "/bin"] }: HookScriptParts): string {
  return `# Written by "toolcrib guard install", which writes it again. Clients run it before a call: . FILE CLIENT
toolcrib_hook() {
  client=$1 callers_path=\${PATH-} PATH=${quoteWord(tools.join(":"))}
  unset NODE_OPTIONS NODE_EXTRA_CA_CERTS PERL5OPT PERL5LIB PERLLIB PERL5DB PERL_UNICODE PERLIO PERLIO_DEBUG
  left=${LINE_SECONDS}
  unset event
  ask_running
  exec 3<&0
  answer <&3 & answering=$!
  exec 0</dev/null 3<&0
  watch & watching=$!
  wait "$answering" 2>/dev/null
  status=$?
  kill "$watching" 2>/dev/null
  [ "$status" -eq 0 ] && exit 0
  [ "$status" -eq 2 ] || late
  exit 2
}
${WATCHED}answer() {
  exec 3<&-
  [ -n "\${event+read}" ] || event=$(cat 2>/dev/null) || exit 2
  PATH=$callers_path
  ulimit -t ${LINE_SECONDS * 4} 2>/dev/null
  # A client waits until nobody can write to it any more, and so for a program that hangs.
  give "$(exec 2>/dev/null; printf '%s' "$event" | ${program.map(quoteWord).join(" ")} hook "$client" --sealed)"
  echo 'toolcrib hook: the program did not answer ("toolcrib guard install" writes its place again); the call is refused' >&2
  exit 2
}
# Ends with the answer of a running Toolcrib; returns, with the event or before it is read, where none answers.
ask_running() {
  case \${XDG_STATE_HOME-} in /*) state=$XDG_STATE_HOME ;; *) state=\${HOME-}/.local/state ;; esac
  set -- "$state"/toolcrib/guard/*.sock
  [ -S "$1" ] || return
  told=$(exec 2>/dev/null; LC_ALL=C perl -fe "$asking" -- "$client" "$callers_path" "$PWD" "$@")
  status=$?
  case $status in
    0) give "$told"; exit 2 ;;
    ${GIVEN_BACK / 10}?) event=$told left=$((${GIVEN_BACK + LINE_SECONDS - 1} - status)) ;;
    ${UNASKED / 10}?) left=$((${UNASKED + LINE_SECONDS - 1} - status)) ;;
    126 | 127) ;;
    *) late ;;
  esac
}
asking='${ASKING}'
${GIVE}line='
'
toolcrib_hook "$1"
`;
}

/**
 * How the Perl below ends, besides 0 with an answer: nobody answered, and the event is what it printed, or is still to be read. Each
 * with the seconds that it took.
 */
const [GIVEN_BACK, UNASKED] = [10, 20];

/** Until the client has written its event. */
const READ_SECONDS = 5;

/** It loads no module, which would take longer than all of it: an address is packed by hand. */
const ASKING = `
($client, $path, $folder, @sockets) = @ARGV;
sub give_back { alarm 0; defined $event or exit ${UNASKED} + time - $^T; print STDOUT $event; exit ${GIVEN_BACK} + time - $^T }
$SIG{PIPE} = "IGNORE";
$SIG{ALRM} = sub { $reading ? exit 1 : give_back };
alarm ${READ_SECONDS};
undef $/;
for (@sockets) {
  -S && -O _ or next;
  socket S, 1, 1, 0 or last;
  connect S, $^O eq "linux" ? pack "Sa*", 1, $_ : pack "CCa*", 2 + length, 1, $_ or next;
  if (!defined $event) {
    $reading = 1;
    $event = <STDIN>;
    defined $event or $event = "";
    $reading = 0;
    alarm ${ASK_SECONDS};
  }
  select S;
  $| = 1;
  print join "\\0", "${QUESTION_HEAD}", $client, (map { defined $ENV{$_} ? $ENV{$_} : "" } qw(${SETTING_VARIABLES.join(" ")})), $path, $folder, $event;
  shutdown S, 1;
  $answer = "";
  while (sysread S, $answer, 65536, length $answer) {
    if ($answer =~ /\\n${SEAL}\\n\\z/) { print STDOUT $answer; exit 0 }
  }
}
give_back;
`;

const WATCHED = `late() {
  echo 'toolcrib hook: there was no answer in time; the call is refused' >&2
  exit 2
}
# A client that waits too long makes the call.
watch() {
  exec </dev/null >/dev/null 2>&1
  trap 'kill "$pause"; exit' TERM
  sleep "$left" & pause=$!
  wait "$pause"
  kill -9 "$answering"
}
`;

const GIVE = `# Ends with an answer that is whole; returns from any other.
give() {
  case $1 in
    'toolcrib 0'"$line"*"$line"'${SEAL}' | 'toolcrib 2'"$line"*"$line"'${SEAL}') ;;
    *) return ;;
  esac
  said=\${1#toolcrib ?"$line"}
  out=\${said%%"$line"*}
  said=\${said#*"$line"}
  said=\${said%'${SEAL}'}
  [ -z "$out" ] || printf '%s\\n' "$out" || exit 2
  [ -z "$said" ] || printf '%s' "$said" >&2
  case $1 in 'toolcrib 0'*) exit 0 ;; esac
  exit 2
}
`;
