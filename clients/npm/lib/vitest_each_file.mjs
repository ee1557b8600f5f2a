import { afterEach, beforeAll } from "vitest";
import file from "./each_file.js";

file.install({ beforeAll, afterEach });
