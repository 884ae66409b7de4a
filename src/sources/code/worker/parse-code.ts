import { parse } from "acorn";

/** A node of the syntax tree; its type determines which fields it has. */
export interface CodeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Parts that name something, or whose meaning parentheses would change. */
const FIXED: Readonly<Record<string, readonly string[]>> = {
  ArrowFunctionExpression: ["params"],
  AssignmentExpression: ["left"],
  AssignmentPattern: ["left"],
  BreakStatement: ["label"],
  CallExpression: ["callee"],
  CatchClause: ["param"],
  ChainExpression: ["expression"],
  ClassDeclaration: ["id"],
  ClassExpression: ["id"],
  ContinueStatement: ["label"],
  ExpressionStatement: ["expression"],
  ForInStatement: ["left"],
  ForOfStatement: ["left"],
  FunctionDeclaration: ["id", "params"],
  FunctionExpression: ["id", "params"],
  LabeledStatement: ["label"],
  NewExpression: ["callee"],
  TaggedTemplateExpression: ["tag"],
  UpdateExpression: ["argument"],
  VariableDeclarator: ["id"],
};

/** Their parts may be parenthesised if they themselves may be. */
const PASSING = /^(?:ParenthesizedExpression|ObjectPattern|ArrayPattern|RestElement|Property)$/;

/** The syntax tree of the code as one function. Throws what is wrong with it, also if the code closes that function. */
export function parseCode(text: string): CodeNode {
  const program = parse(text, { ecmaVersion: "latest", sourceType: "script", preserveParens: true });
  const [main, more] = program.body;
  if (main?.type !== "ExpressionStatement" || main.expression.type !== "ParenthesizedExpression" || more !== undefined)
    throw new SyntaxError("a } has no { before it");
  return program as unknown as CodeNode; // Its nodes have no index signature.
}

export function nodesIn(node: CodeNode, field: string): readonly CodeNode[] {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [];
}

export function nodeIn(node: CodeNode, field: string): CodeNode | undefined {
  return nodesIn(node, field)[0];
}

function isNode(value: unknown): value is CodeNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** Whether an earlier step in the same chain may end the chain. */
export function isOptional(node: CodeNode): boolean {
  if (node.optional === true) return true;
  const [inner] = [...nodesIn(node, "object"), ...nodesIn(node, "callee")];
  return /^(?:Member|Call)Expression$/.test(node.type) && inner !== undefined && isOptional(inner);
}

/** Whether these are consecutive statements. */
export function isListed({ type }: CodeNode, field: string): boolean {
  return field === "body"
    ? /^(?:Program|BlockStatement|StaticBlock)$/.test(type)
    : type === "SwitchCase" && field === "consequent";
}

/** The parts of a node in source order. */
export function partsOf(node: CodeNode): readonly (readonly [field: string, part: CodeNode])[] {
  const parts: (readonly [field: string, part: CodeNode])[] = [];
  let [last, isSorted] = [-1, true];
  const put = (field: string, value: unknown): void => {
    if (!isNode(value)) return;
    if (value.start < last) isSorted = false;
    last = value.start;
    parts.push([field, value]);
  };
  for (const field in node) {
    const value = node[field];
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value)) for (const one of value) put(field, one);
    else put(field, value);
  }
  return isSorted ? parts : parts.sort(([, a], [, b]) => a.start - b.start);
}

/** Whether a part may be parenthesised, if its parent may be. */
export function isFreePart({ type, computed }: CodeNode, field: string, isFree: boolean): boolean {
  if (field === "key" && computed !== true) return false;
  return !(FIXED[type] ?? []).includes(field) && (isFree || !PASSING.test(type));
}
