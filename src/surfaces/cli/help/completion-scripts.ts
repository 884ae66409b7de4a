import { COMMANDS, type CommandName, COMMAND_NAMES as NAMES } from "../command-line/commands.ts";
import { isOptionName, OPTIONS } from "../command-line/options.ts";
import { type SHELLS, type Values, valuesOfOperands, valuesOfOption } from "./completion-values.ts";

const OPTION_NAMES = Object.keys(OPTIONS).filter(isOptionName);

/** The script of one shell, made from the table of commands. */
export function buildCompletion(shell: (typeof SHELLS)[number]): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      return zsh();
    case "fish":
      return fish();
  }
}

/** What is different between shells that otherwise work alike. */
interface Dialect {
  /** A line that offers these values. */
  readonly offer: (values: Values) => string;
  /** How a branch of `case` begins. */
  readonly branch: (pattern: string) => string;
}

const BASH: Dialect = {
  branch: (pattern) => `${pattern})`,
  offer: (values) => {
    switch (values.kind) {
      case "words":
        return `_toolcrib_offer "$cur" <<< '${values.words.join("\n")}'`;
      case "asked":
        return `_toolcrib_offer "$cur" < <(toolcrib completion values ${values.asked} 2>/dev/null)`;
      case "files":
        return `mapfile -t COMPREPLY < <(compgen -f -- "$cur")`;
      case "unknown":
        return ":";
    }
  },
};

const ZSH: Dialect = {
  branch: (pattern) => `(${pattern})`,
  offer: (values) => {
    switch (values.kind) {
      case "words":
        return `compadd -- ${values.words.join(" ")}`;
      case "asked":
        return `_toolcrib_values ${values.asked}`;
      case "files":
        return "_files";
      case "unknown":
        return ":";
    }
  },
};

function bash(): string {
  return `# Completion for toolcrib in bash. Put this into ~/.bashrc: source <(toolcrib completion bash)
_toolcrib_offer() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -n $word && $word == "$1"* ]] && COMPREPLY+=("$word")
  done
  return 0
}

_toolcrib() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" cmd="" count=0 i
  COMPREPLY=()
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
${valued(BASH)}
      -* | =) ;;
      *) if [[ -z $cmd ]]; then cmd="\${COMP_WORDS[i]}"; else count=$((count + 1)); fi ;;
    esac
  done
${body(BASH)}
}

complete -o default -F _toolcrib toolcrib
`;
}

function zsh(): string {
  return `#compdef toolcrib
# Completion for toolcrib in zsh. Put this into ~/.zshrc, behind compinit: source <(toolcrib completion zsh)
_toolcrib_values() {
  local -a found
  found=("\${(@f)$(toolcrib completion values $1 2>/dev/null)}")
  compadd -a found
}

_toolcrib() {
  local cur="\${words[CURRENT]}" prev="\${words[CURRENT-1]}" cmd="" count=0 i
  for ((i = 2; i < CURRENT; i++)); do
    case "\${words[i]}" in
${valued(ZSH)}
      (-*) ;;
      (*) if [[ -z $cmd ]]; then cmd="\${words[i]}"; else count=$((count + 1)); fi ;;
    esac
  done
${body(ZSH)}
}

if [[ "\${funcstack[1]}" = "_toolcrib" ]]; then _toolcrib "$@"; else compdef _toolcrib toolcrib; fi
`;
}

/** Options that take the next word, so that it is no operand. */
function valued({ branch }: Dialect): string {
  const options = OPTION_NAMES.filter((name) => OPTIONS[name].value !== null).map((name) => `--${name}`);
  return `      ${branch(options.join(" | "))} i=$((i + 1)) ;;`;
}

function body(dialect: Dialect): string {
  const { branch, offer } = dialect;
  const behind = OPTION_NAMES.flatMap((name) => {
    const values = valuesOfOption(name);
    return values === null ? [] : [`    ${branch(`--${name}`)} ${offer(values)}; return ;;`];
  });
  const options = NAMES.map((name) => `      ${branch(name)} ${offer(optionWords(name))} ;;`);
  const operands = NAMES.flatMap((name) =>
    valuesOfOperands(name).map((values, at) => `    ${branch(`${name}:${at}`)} ${offer(values)} ;;`),
  );
  return [
    '  case "$prev" in',
    ...behind,
    "  esac",
    "  if [[ $cur == -* ]]; then",
    '    case "${cmd:-up}" in',
    ...options,
    "    esac",
    "    return",
    "  fi",
    "  if [[ -z $cmd ]]; then",
    `    ${offer({ kind: "words", words: NAMES })}`,
    "    return",
    "  fi",
    '  case "$cmd:$count" in',
    ...operands,
    "  esac",
  ].join("\n");
}

function optionWords(command: CommandName): Values {
  return { kind: "words", words: COMMANDS[command].options.map((name) => `--${name}`) };
}

function fish(): string {
  const commands = NAMES.map(
    (name) => `complete -c toolcrib -n __fish_use_subcommand -a ${name} -d ${quote(COMMANDS[name].summary)}`,
  );
  const options = OPTION_NAMES.map((name) => {
    const takers = NAMES.filter((command) => COMMANDS[command].options.includes(name));
    const values = valuesOfOption(name);
    const short = name === "help" ? " -s h" : "";
    const value = values === null ? "" : values.kind === "files" ? " -r -F" : ` -x${fishValues(values)}`;
    return `complete -c toolcrib -n '__fish_seen_subcommand_from ${takers.join(" ")}'${short} -l ${name}${value} -d ${quote(OPTIONS[name].text)}`;
  });
  const operands = NAMES.flatMap((name) =>
    valuesOfOperands(name).flatMap((values) => {
      if (values.kind === "unknown") return [];
      const offered = values.kind === "files" ? " -F" : fishValues(values);
      return [`complete -c toolcrib -n '__fish_seen_subcommand_from ${name}'${offered}`];
    }),
  );
  return [
    "# Completion for toolcrib in fish: toolcrib completion fish > ~/.config/fish/completions/toolcrib.fish",
    "complete -c toolcrib -f",
    ...commands,
    ...options,
    ...operands,
    "",
  ].join("\n");
}

function fishValues(values: Values): string {
  if (values.kind === "words") return ` -a ${quote(values.words.join(" "))}`;
  return values.kind === "asked" ? ` -a '(toolcrib completion values ${values.asked} 2>/dev/null)'` : "";
}

function quote(text: string): string {
  return `'${text.replace(/['\\]/g, "\\$&")}'`;
}
