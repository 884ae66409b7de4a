import type { Node, Tree } from "web-tree-sitter";

/** The grammar's reading of a line. */
export interface TreeReading {
  /** Null if everything is known; else the first thing that is not. */
  readonly problem: string | null;
  /** The commands as `start-end` of each word, with their positions. */
  readonly commands: ReadonlyMap<string, { readonly start: number; readonly end: number }>;
}

/** Any other node in a tree means that the line is not allowed. */
const KNOWN = new Set(
  `program list pipeline command command_name word string string_content raw_string ansi_c_string number concatenation
  simple_expansion expansion variable_name special_variable_name command_substitution process_substitution subshell
  compound_statement redirected_statement file_redirect file_descriptor heredoc_redirect heredoc_start heredoc_body
  heredoc_content heredoc_end herestring_redirect for_statement while_statement if_statement elif_clause else_clause
  case_statement case_item do_group function_definition negated_command declaration_command unset_command test_command
  unary_expression binary_expression parenthesized_expression test_operator variable_assignment variable_assignments
  arithmetic_expansion postfix_expression ternary_expression comment extglob_pattern regex subscript
  brace_expression`.split(/\s+/),
);
const COMMANDS = new Set(["command", "declaration_command", "unset_command"]);
const REDIRECTS = new Set(["file_redirect", "heredoc_redirect", "herestring_redirect"]);

/** Walks the whole tree once. */
export function readTree(tree: Tree, line: string): TreeReading {
  const commands = new Map<string, { start: number; end: number }>();
  let problem: string | null = tree.rootNode.hasError ? "the grammar does not accept it" : null;
  const cursor = tree.walk();
  try {
    for (;;) {
      const { nodeType, nodeIsNamed } = cursor;
      if (nodeIsNamed && !KNOWN.has(nodeType)) problem ??= `it holds ${nodeType.replaceAll("_", " ").toLowerCase()}`;
      if (COMMANDS.has(nodeType) || nodeType === "test_command") {
        const node = cursor.currentNode;
        const place = { start: node.startIndex, end: node.endIndex };
        commands.set(COMMANDS.has(nodeType) ? toSignature(node, line) : `${place.start}`, place);
      }
      if (cursor.gotoFirstChild()) continue;
      while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return { problem, commands };
    }
  } finally {
    cursor.delete();
  }
}

/** Adjacent words are one word, which is how joined lines look to the grammar. */
function toSignature(node: Node, line: string): string {
  const spans: { start: number; end: number }[] = [];
  for (const child of [...node.children.filter(({ type }) => !REDIRECTS.has(type)), ...wordsBehind(node, line)]) {
    const last = spans.at(-1);
    const gap = last === undefined ? " " : line.slice(last.end, child.startIndex);
    if (last !== undefined && gap.replaceAll("\\\n", "") === "") last.end = child.endIndex;
    else spans.push({ start: child.startIndex, end: child.endIndex });
  }
  return spans.map(({ start, end }) => `${start}-${end},`).join("");
}

/** `a 2>x b`: the grammar counts `b` as part of the redirection. `a - <<x`: it loses the dash. */
function wordsBehind({ parent, endIndex }: Node, line: string): readonly Pick<Node, "startIndex" | "endIndex">[] {
  if (parent?.type !== "redirected_statement") return [];
  const document = parent.children.find(({ type }) => type === "heredoc_redirect");
  const lost = /^[ \t]+(?=-[ \t]+$)/.exec(line.slice(endIndex, document?.startIndex ?? endIndex));
  const start = endIndex + (lost?.[0].length ?? 0);
  return [
    ...(lost === null ? [] : [{ startIndex: start, endIndex: start + 1 }]),
    ...parent.children
      .filter(({ type }) => type === "file_redirect")
      .flatMap((redirect) => redirect.namedChildren.filter(({ type }) => type !== "file_descriptor").slice(1)),
  ];
}
