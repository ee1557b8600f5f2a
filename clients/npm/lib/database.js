// Calls of a database, without an SDK.
"use strict";
const http = require("node:http");

const REGION = "us-east-1";
const OWN = "Partita_20261123";
const DYNAMODB = "DynamoDB_20120810";

class CallFailed extends Error {
  constructor(operation, code, message) {
    super(`${operation}: ${code}: ${message}`);
    this.name = "CallFailed";
    this.code = code;
  }
}
exports.CallFailed = CallFailed;

exports.Database = class Database {
  constructor(endpoint, namespace = "") {
    this.endpoint = endpoint;
    this.namespace = namespace;
  }

  config() {
    return { endpoint: this.endpoint, region: REGION,
             credentials: { accessKeyId: this.namespace || "any", secretAccessKey: "any" } };
  }

  environment() {
    return { AWS_ENDPOINT_URL_DYNAMODB: this.endpoint, AWS_ENDPOINT_URL_DYNAMODB_STREAMS: this.endpoint,
             AWS_ACCESS_KEY_ID: this.namespace || "any", AWS_SECRET_ACCESS_KEY: "any", AWS_REGION: REGION };
  }

  call(operation, members = {}) {
    return this.#post(`${OWN}.${operation}`, members);
  }

  dynamodb(operation, members = {}) {
    return this.#post(`${DYNAMODB}.${operation}`, members);
  }

  async createSnapshot(name) {
    await this.call("CreateSnapshot", { Name: name });
  }

  async rollback(name) {
    await this.call("RollbackToSnapshot", { Name: name });
  }

  async deleteSnapshot(name) {
    await this.call("DeleteSnapshot", { Name: name });
  }

  async advanceClock(seconds) {
    await this.call("MoveClock", { Seconds: seconds });
  }

  async resetClock() {
    await this.call("MoveClock", { OffsetSeconds: 0 });
  }

  #post(target, members) {
    const key = this.namespace || "any";
    const body = JSON.stringify(members);
    const headers = {
      "Content-Type": "application/x-amz-json-1.0",
      "Content-Length": Buffer.byteLength(body),
      "X-Amz-Target": target,
      // Nothing is verified: the server of tests has no credentials.
      "X-Amz-Date": "20260101T000000Z",
      Authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/${REGION}/dynamodb/aws4_request, ` +
        `SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`,
    };
    return new Promise((resolve, reject) => {
      const request = http.request(this.endpoint, { method: "POST", headers, timeout: 60_000 }, (reply) => {
        const chunks = [];
        reply.on("data", (chunk) => chunks.push(chunk));
        reply.on("error", reject);
        reply.on("end", () => {
          let answer;
          try {
            answer = JSON.parse(Buffer.concat(chunks).toString() || "{}");
          } catch (error) {
            return reject(error);
          }
          if (reply.statusCode === 200) return resolve(answer);
          const code = String(answer.__type ?? reply.statusCode).split("#").pop();
          return reject(new CallFailed(target, code, answer.message ?? answer.Message ?? ""));
        });
      });
      request.on("timeout", () => request.destroy(new Error(`${target}: no reply in 60 s`)));
      request.on("error", reject);
      request.end(body);
    });
  }
};
