export { cli, kebab, shellQuote } from './cli.ts';
export { cloudFormation, type TableExtras, tableProperties } from './cloudformation.ts';
export { javascript3 } from './javascript.ts';
export { python3 } from './python.ts';
export { type Request, type Target } from './shape.ts';
