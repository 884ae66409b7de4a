import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import type { HookClientName } from "./hook-clients.ts";
import { SEAL } from "./sealed-answer.ts";

/** What to write into a client's file as the time that it waits. A client that gives up makes the call. */
export const CLIENT_SECONDS = 10;

/** Within these the script answers, come what may. */
export const LINE_SECONDS = 8;

/** Of these, what a running Toolcrib gets before the script decides without it. */
export const ASK_SECONDS = 2;

/** What of an environment changes which settings count. The script says them; a running Toolcrib that has others does not answer. */
export const SETTING_VARIABLES = [
  ...["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TOOLCRIB_POLICY"],
  ...["CLAUDE_CONFIG_DIR", "COPILOT_HOME", "CODEX_HOME"],
] as const;

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
  /** Folders with cat, curl and sleep. The client's own PATH may begin with a folder of the repository. */
  readonly tools?: readonly string[];
}

/**
 * The text of the one file behind every line (mode 600, written whole). It asks each running Toolcrib at its socket in the
 * person's state folder, and starts `program` if none answers. All of it is read before any of it runs, and it takes only
 * answers that carry their seal.
 */
export function hookScript({ program, tools = ["/usr/bin", "/bin"] }: HookScriptParts): string {
  const variables = SETTING_VARIABLES.map((name) => `    --data-urlencode "${name}=\${${name}-}" \\`).join("\n");
  return `# Written by "toolcrib guard install", which writes it again. Clients run it before a call: . FILE CLIENT
toolcrib_hook() {
  client=$1 callers_path=\${PATH-} PATH=${quoteWord(tools.join(":"))}
  unset NODE_OPTIONS NODE_EXTRA_CA_CERTS
  exec 3<&0
  answer <&3 & answering=$!
  exec 0</dev/null 3<&0
  watch & watching=$!
  wait "$answering" 2>/dev/null
  status=$?
  kill "$watching" 2>/dev/null
  [ "$status" -eq 0 ] && exit 0
  [ "$status" -eq 2 ] || echo 'toolcrib hook: there was no answer in time; the call is refused' >&2
  exit 2
}
# A client that waits too long makes the call.
watch() {
  exec </dev/null >/dev/null 2>&1
  trap 'kill "$pause"; exit' TERM
  sleep ${LINE_SECONDS} & pause=$!
  wait "$pause"
  kill -9 "$answering"
}
answer() {
  exec 3<&-
  event=$(cat 2>/dev/null) || exit 2
  ask_running
  PATH=$callers_path
  ulimit -t ${LINE_SECONDS * 4} 2>/dev/null
  # A client waits until nobody can write to it any more, and so for a program that hangs.
  give "$(exec 2>/dev/null; printf '%s' "$event" | ${program.map(quoteWord).join(" ")} hook "$client" --sealed)"
  echo 'toolcrib hook: the program did not answer ("toolcrib guard install" writes its place again); the call is refused' >&2
  exit 2
}
ask_running() {
  case \${XDG_STATE_HOME-} in /*) state=$XDG_STATE_HOME ;; *) state=\${HOME-}/.local/state ;; esac
  for socket in "$state"/toolcrib/guard/*.sock; do
    [ -S "$socket" ] && [ -O "$socket" ] || continue
    name=\${socket##*/}
    kill -0 "\${name%.sock}" 2>/dev/null || continue
    sealed=$(exec 2>/dev/null; ask)
    status=$?
    [ "$status" -eq 0 ] && give "$sealed"
    # Nobody listens at this one; any other failure has taken its time.
    [ "$status" -eq 7 ] || return
  done
}
ask() {
  printf '%s' "$event" | curl -qsf --noproxy '*' --max-time ${ASK_SECONDS} --unix-socket "$socket" -H Expect: \\
${variables}
    --data-urlencode "PATH=$callers_path" --data-urlencode "folder=$PWD" --data-urlencode event@- \\
    "http://toolcrib/hook/$client"
}
# Ends with an answer that is whole; returns from any other.
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
line='
'
toolcrib_hook "$1"
`;
}
