export * from './types.ts';
export * from './json.ts';
export * from './number.ts';
export * from './size.ts';
export * from './convert.ts';
export * from './path.ts';
