/** Checks that numbers of public schemes carry in themselves. All take digits only, unless they say otherwise. */

/** The last digit makes the sum, with every second digit doubled, a multiple of ten. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digitAt(digits, digits.length - 1 - at);
    const counted = at % 2 === 1 ? digit * 2 : digit;
    sum += counted > 9 ? counted - 9 : counted;
  }
  return sum % 10 === 0;
}

/** ISO 7064, modulus 97: letters of either case count as 10 to 35. */
export function passesIban(iban: string): boolean {
  let rest = 0;
  for (let at = 0; at < iban.length; at += 1) {
    const code = iban.charCodeAt((at + 4) % iban.length);
    const value = code < 58 ? code - 48 : (code & 31) + 9;
    rest = (value > 9 ? rest * 100 + value : rest * 10 + value) % 97;
  }
  return rest === 1;
}

/** The remainder of a number that is too long to be one. */
export function remainder(digits: string, modulus: number): number {
  let rest = 0;
  for (let at = 0; at < digits.length; at += 1) rest = (rest * 10 + digitAt(digits, at)) % modulus;
  return rest;
}

/** The digits times their weights. */
export function weigh(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, at) => sum + weight * digitAt(digits, at), 0);
}

/** ISO 7064, modulus 11,10: hybrid, the last digit checks the rest. */
export function passesMod11Of10(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at += 1) {
    const sum = (digitAt(digits, at) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1);
}

/** Verhoeff's scheme: the dihedral group of the pentagon. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let at = 0; at < digits.length; at += 1) {
    const turned = turn(digitAt(digits, digits.length - 1 - at), at % 8);
    check = multiply(check, turned);
  }
  return check === 0;
}

export function digitAt(digits: string, at: number): number {
  return digits.charCodeAt(at) - 48;
}

/** Whether these can be a day and a month; a year is not asked for. */
export function isDate(day: string, month: string): boolean {
  const [ofMonth, ofYear] = [Number(day), Number(month)];
  return ofMonth >= 1 && ofMonth <= 31 && ofYear >= 1 && ofYear <= 12;
}

/** Dummies such as 000000000, which pass most checks. */
export function isOneDigit(digits: string): boolean {
  return /^(\d)\1*$/.test(digits);
}

const STEP = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

function turn(digit: number, times: number): number {
  let turned = digit;
  for (let left = times; left > 0; left -= 1) turned = STEP[turned] ?? 0;
  return turned;
}

/** In D5: 0 to 4 are rotations, 5 to 9 reflections. */
function multiply(one: number, other: number): number {
  if (one < 5) return other < 5 ? (one + other) % 5 : 5 + ((one + other) % 5);
  return other < 5 ? 5 + ((one - other + 5) % 5) : (one - other + 5) % 5;
}
