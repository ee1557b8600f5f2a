/** Figures and times, as all pages write them. */
const whole = new Intl.NumberFormat('en');
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

export const formatCount = (count: number | undefined): string => (count === undefined ? '–' : whole.format(count));

/** 1234567 → '1.2 MB' (of 1024 bytes, as DynamoDB counts). */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined) return '–';
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit && value < 100 ? value.toFixed(1) : whole.format(Math.round(value))} ${UNITS[unit]}`;
}

/** Seconds since 1970 in the browser's zone: '2026-11-26 08:30:05'. */
export function formatTime(seconds: number | undefined): string {
  if (seconds === undefined) return '–';
  const time = new Date(seconds * 1000);
  const two = (part: number) => String(part).padStart(2, '0');
  return (
    `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ` +
    `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
  );
}

/** plural('table', 2) → '2 tables'. */
export function plural(word: string, count: number, many = `${word}s`): string {
  return `${formatCount(count)} ${count === 1 ? word : many}`;
}
