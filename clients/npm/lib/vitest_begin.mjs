import run from "./run.js";

export default async function setup(project) {
  const root = project?.config?.root ?? process.cwd();
  const begun = await run.beginRun(root);
  return begun.stop;
}
