/** Asks the server what it is: before any login, so without a signature. */
import { endpoint, type ServerDescription, session } from './session.ts';

export async function describeServer(): Promise<void> {
  try {
    const reply = await fetch(`${endpoint()}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'Partita_20261123.DescribeConsole' },
      body: '{}',
      referrerPolicy: 'no-referrer',
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(text);
    const server = JSON.parse(text) as ServerDescription;
    session.set((before) => ({ ...before, server, fault: undefined }));
  } catch (error) {
    session.set((before) => ({ ...before, fault: error as Error }));
  }
}
