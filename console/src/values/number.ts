/** DynamoDB's numbers, as text: 38 significant digits, exponents of -130 to 125. */
export interface Decimal {
  negative: boolean;
  digits: string; // without zeros at either end; empty for 0
  exponent: number; // value = digits * 10^exponent
}

const FORM = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const MAX_DIGITS = 38;
const MAX_EXPONENT = 125;
const MIN_EXPONENT = -130;

/** The number that a text means, or undefined if it is none. Says nothing about DynamoDB's limits. */
export function parseDecimal(text: string): Decimal | undefined {
  if (!FORM.test(text)) return undefined;
  const negative = text.startsWith('-');
  const [mantissa = '', power = '0'] = text.replace(/^[+-]/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  let exponent = Number(power) - fraction.length;
  let digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  exponent += digits.length - kept.length;
  digits = kept;
  if (!digits) return { negative: false, digits: '', exponent: 0 };
  return { negative, digits, exponent };
}

/** Why DynamoDB would refuse this text as a number, or undefined if it takes it. */
export function numberFault(text: string): string | undefined {
  const number = parseDecimal(text);
  if (!number) return 'This is not a number. Examples: 42, -0.5, 1.2e10.';
  if (!number.digits) return undefined;
  if (number.digits.length > MAX_DIGITS) {
    return `DynamoDB keeps 38 significant digits; this has ${number.digits.length}.`;
  }
  const leading = number.exponent + number.digits.length - 1;
  if (leading > MAX_EXPONENT) return 'The number is too large: its magnitude must be below 1E126.';
  if (leading < MIN_EXPONENT) return 'The number is too small: its magnitude must be at least 1E-130.';
  return undefined;
}

/** < 0, 0 or > 0. Both must be numbers. */
export function compareNumbers(left: string, right: string): number {
  const a = parseDecimal(left)!;
  const b = parseDecimal(right)!;
  if (a.negative !== b.negative) return a.negative ? -1 : 1;
  const sign = a.negative ? -1 : 1;
  if (!a.digits || !b.digits) return sign * ((a.digits ? 1 : 0) - (b.digits ? 1 : 0)) + 0;
  const order = a.exponent + a.digits.length - (b.exponent + b.digits.length);
  if (order) return sign * order;
  const width = Math.max(a.digits.length, b.digits.length);
  const x = a.digits.padEnd(width, '0');
  const y = b.digits.padEnd(width, '0');
  return x === y ? 0 : x < y ? -sign : sign;
}

/** Whether two texts mean the same number: 1e3 is 1000. */
export function sameNumber(left: string, right: string): boolean {
  return compareNumbers(left, right) === 0;
}

/** The bytes that DynamoDB charges for a number. */
export function numberBytes(text: string): number {
  const number = parseDecimal(text);
  if (!number || !number.digits) return 1;
  const count = number.digits.length;
  const whole = Math.min(Math.max(count + number.exponent, 0), count);
  return Math.ceil(whole / 2) + Math.ceil((count - whole) / 2) + (number.negative ? 2 : 1);
}
