export * from './batch_write.ts';
export * from './client.ts';
export * from './errors.ts';
export * from './operations.ts';
export * from './session.ts';
