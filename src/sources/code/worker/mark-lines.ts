import { createMarks, type MarkedCode, type Marks } from "./marks.ts";
import { type CodeNode, isFreePart, isListed, isOptional, nodeIn, nodesIn, partsOf } from "./parse-code.ts";

/** Statements at whose start the engine records no position. */
const UNNOTED = /^(?:VariableDeclaration|(?:Return|If|For|ForIn|ForOf|While|DoWhile|Switch|With)Statement)$/;

/** Nodes that cannot fail before one of their parts does. */
const CALM =
  /^(?:Literal|TemplateLiteral|(?:(?:Arrow)?Function|Class|Object|Array|Parenthesized|Sequence|This)Expression|Super|MetaProperty|PrivateIdentifier|SpreadElement)$/;

/**
 * Code in which the engine knows the line of everything that can fail or call. QuickJS records a position at expression
 * statements, at arguments and at the right side of operators, and uses the last one before an instruction. If that is
 * on another line, this adds one. `thrown` is the name of a function that receives what the code throws. Lines keep
 * their numbers.
 */
export function markLines(text: string, program: CodeNode, thrown: string): MarkedCode {
  const marks = createMarks(text);
  walk({ marks, thrown, noted: null }, program, true);
  return marks.write();
}

interface Marking {
  readonly marks: Marks;
  readonly thrown: string;
  /** The line that the engine assigns to what comes next; null if uncertain. */
  noted: number | null;
}

type Visit = (marking: Marking, node: CodeNode) => void;

/** Nodes that the engine evaluates in another order or records by itself. */
const SPECIAL: Readonly<Record<string, Visit>> = {
  ExpressionStatement(marking, node) {
    note(marking, node.start);
    walk(marking, node, true);
  },
  CallExpression(marking, node) {
    const [callee = node] = nodesIn(node, "callee");
    visit(marking, callee, false);
    note(marking, nodeIn(node, "arguments")?.start ?? node.end - 1, callee.end);
    give(marking, node, callee.end);
  },
  NewExpression(marking, node) {
    const [callee = node] = nodesIn(node, "callee");
    note(marking, callee.start);
    visit(marking, callee, false);
    give(marking, node, callee.start);
  },
  TaggedTemplateExpression(marking, node) {
    const [tag = node, quasi = node] = [nodeIn(node, "tag"), nodeIn(node, "quasi")];
    visit(marking, tag, false);
    note(marking, quasi.start, tag.end);
    visit(marking, quasi, true);
  },
  MemberExpression(marking, node) {
    const [object = node, property = node] = [nodeIn(node, "object"), nodeIn(node, "property")];
    visit(marking, object, !/^(?:Member|Call)Expression$|^Super$/.test(object.type));
    if (node.computed === true) visit(marking, property, true);
    else if (object.type !== "Super" && !isOptional(object)) noteAfter(marking, object, property.start);
  },
  AssignmentExpression(marking, node) {
    walk(marking, node, true);
    const [left = node, right = node] = [nodeIn(node, "left"), nodeIn(node, "right")];
    if (left.type === "MemberExpression") noteAfter(marking, right, left.end);
  },
  BinaryExpression(marking, node) {
    const [left = node, right = node] = [nodeIn(node, "left"), nodeIn(node, "right")];
    visit(marking, left, true);
    if (node.operator !== "**") note(marking, right.start);
    visit(marking, right, true);
  },
  UnaryExpression(marking, node) {
    const [argument = node] = nodesIn(node, "argument");
    visit(marking, argument, node.operator !== "typeof" && node.operator !== "delete");
  },
  ThrowStatement(marking, node) {
    const { marks, thrown } = marking;
    const [argument = node] = nodesIn(node, "argument");
    note(marking, argument.start);
    visit(marking, argument, true);
    if (argument.type !== "NewExpression") marks.around(argument, `${thrown}(`, ",0| 0)", node.start);
  },
  ForStatement(marking, node) {
    for (const part of [...nodesIn(node, "init"), ...nodesIn(node, "test")]) visit(marking, part, true);
    // The engine moves the update after the body.
    for (const part of [...nodesIn(node, "update"), ...nodesIn(node, "body")]) {
      marking.noted = part.type === "UpdateExpression" ? marking.marks.lineAt(part.start) : null;
      visit(marking, part, true);
    }
    marking.noted = null;
  },
  FunctionDeclaration: apart,
  FunctionExpression: apart,
  ArrowFunctionExpression: apart,
  StaticBlock: apart,
  PropertyDefinition: apart,
  Property(marking, node) {
    const [value = node] = nodesIn(node, "value");
    if (node.shorthand !== true || value.type !== "Identifier") return walk(marking, node, true);
    const line = marking.marks.lineAt(value.start);
    if (marking.noted === line || value.name === "__proto__") return;
    marking.marks.around(value, `${String(value.name)}:(0| 0,`, ")", value.start);
    marking.noted = line;
  },
};

function visit(marking: Marking, node: CodeNode, isFree: boolean): void {
  const line = marking.marks.lineAt(node.start);
  if (isFree && marking.noted !== line && canFail(node)) {
    marking.marks.before(node);
    marking.noted = line;
  }
  const own = node.type === "Property" && !isFree ? undefined : SPECIAL[node.type];
  if (own === undefined) walk(marking, node, isFree);
  else own(marking, node);
}

function walk(marking: Marking, node: CodeNode, isFree: boolean): void {
  const { marks } = marking;
  for (const [field, part] of partsOf(node)) {
    if (isListed(node, field)) {
      marks.apart(part.start);
      const line = marks.lineAt(part.start);
      if (UNNOTED.test(part.type) && marking.noted !== line) {
        marks.statement(part);
        marking.noted = line;
      }
    }
    visit(marking, part, isFreePart(node, field, isFree));
  }
}

/** Code that runs separately from its surroundings, such as a function body. */
function apart(marking: Marking, node: CodeNode): void {
  const outside = marking.noted;
  marking.noted = node.type === "ArrowFunctionExpression" ? marking.marks.lineAt(node.start) : null;
  walk(marking, node, true);
  marking.noted = outside;
}

/** Arguments, and after them the position of the call. */
function give(marking: Marking, node: CodeNode, stands: number): void {
  const given = nodesIn(node, "arguments");
  for (const argument of given) visit(marking, argument, true);
  const last = given.at(-1);
  if (last === undefined) return;
  const [spread] = last.type === "SpreadElement" ? nodesIn(last, "argument") : [];
  noteAfter(marking, spread ?? last, stands);
}

/** The engine assigns what comes after this value to that offset. */
function noteAfter(marking: Marking, value: CodeNode, stands: number): void {
  const line = marking.marks.lineAt(stands);
  if (marking.noted !== line) marking.marks.after(value, stands);
  marking.noted = line;
}

/** The engine records a position at this token by itself, and assigns it to that offset. */
function note(marking: Marking, offset: number, stands = offset): void {
  marking.noted = marking.marks.lineAt(stands);
  marking.marks.token(offset, stands);
}

function canFail({ type, name }: CodeNode): boolean {
  return /(?:Expression|^Identifier)$/.test(type) && !CALM.test(type) && name !== "undefined";
}
