// Partita as a container, for the package testcontainers, which must be installed.
"use strict";
const { AbstractStartedContainer, GenericContainer, Wait } = require("testcontainers");
const { Database } = require("./database.js");

const IMAGE = "partita:0.1.0";
const PORT = 8000;

class StartedPartitaContainer extends AbstractStartedContainer {
  get endpoint() {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  database(namespace) {
    return new Database(this.endpoint, namespace);
  }
}

class PartitaContainer extends GenericContainer {
  constructor(image = IMAGE) {
    super(image);
    this.withExposedPorts(PORT).withOptions([]);
    // The image has no shell, with which testcontainers would look at the port from within.
    this.withWaitStrategy(Wait.forHttp("/", PORT).forStatusCode(200));
  }

  withOptions(options) {
    // Only the host and other containers reach the port.
    return this.withCommand(["serve", "--listen", `0.0.0.0:${PORT}`, "--insecure", "--in-memory", "--namespaces", "key",
                             ...options]);
  }

  async start() {
    return new StartedPartitaContainer(await super.start());
  }
}

module.exports = { PartitaContainer, StartedPartitaContainer };
