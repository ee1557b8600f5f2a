/** Errors of calls. */
export class ServiceError extends Error {
  /** DynamoDB's name of the error, such as 'ValidationException'. */
  readonly code: string;
  readonly operation: string;
  /** The reply's other members: `Item` of a failed condition, `CancellationReasons` of a transaction. */
  readonly body: Record<string, unknown>;
  /** What the SDK's retries look at. */
  readonly $metadata: { httpStatusCode: number; requestId?: string; attempts?: number; totalRetryDelay?: number };
  readonly $fault: 'client' | 'server';

  constructor(operation: string, status: number, code: string, message: string, body: Record<string, unknown>, requestId?: string) {
    super(message);
    this.name = code;
    this.code = code;
    this.operation = operation;
    this.body = body;
    this.$metadata = { httpStatusCode: status, requestId };
    this.$fault = status >= 500 ? 'server' : 'client';
  }

  get status(): number {
    return this.$metadata.httpStatusCode;
  }
}

/** The code of an error of the service, or '' for any other. */
export function codeOf(error: unknown): string {
  return error instanceof ServiceError ? error.code : '';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The IAM action that a refusal names, such as 'dynamodb:PutItem'. */
export function missingAction(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || !/AccessDenied|NotAuthorized/.test(error.code)) return undefined;
  return /not authorized to perform: ([\w:*]+)/.exec(error.message)?.[1];
}

/** A policy that allows what was refused, for whoever grants it. */
export function missingStatement(error: unknown): string {
  const Resource = /on resource: (\S+)/.exec(messageOf(error))?.[1] ?? '*';
  return JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: missingAction(error), Resource }] }, null, 2);
}

/** Whether the credentials themselves are at fault, so that a new login helps. */
export function isLoginFault(error: unknown): boolean {
  return /^(ExpiredToken(Exception)?|UnrecognizedClientException|InvalidSignatureException|MissingAuthenticationToken(Exception)?|InvalidClientTokenId|IncompleteSignatureException)$/.test(
    codeOf(error),
  );
}

/** Aborted by the page, so nothing to report. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
