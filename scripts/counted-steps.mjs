// Steps of a script that tests something as a user does: each is printed with its duration and counted.
let passed = 0;
let failed = 0;

/** Runs a step. Later steps use the results of earlier ones, but each is counted. `check` may return a note. */
export async function step(name, check) {
  const begun = performance.now();
  try {
    const note = await check();
    const seconds = `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
    console.log(`ok      ${name} (${[seconds, note].filter(Boolean).join(', ')})`);
    passed++;
  } catch (error) {
    console.log(`FAILED  ${name}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    failed++;
  }
}

/** Prints the counts, and makes the process fail if a step did. */
export function closeSteps() {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
