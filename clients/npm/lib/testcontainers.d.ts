import { AbstractStartedContainer, GenericContainer } from "testcontainers";
import { Database } from "./index";

export class StartedPartitaContainer extends AbstractStartedContainer {
  readonly endpoint: string;
  /** That of a namespace, which the server makes when it is first used. */
  database(namespace: string): Database;
}

/** A server in memory, with namespaces by access key, from the image `partita`. */
export class PartitaContainer extends GenericContainer {
  constructor(image?: string);
  /** Options of `partita serve`. Files that they name are in the container. */
  withOptions(options: string[]): this;
  start(): Promise<StartedPartitaContainer>;
}
