export interface HelpOptions {
  /** Whether an argument is allowed, besides --help. By default none is. */
  readonly takes?: (argument: string) => boolean;
  readonly args?: readonly string[];
}

/** Prints help with exit code 0, or refuses an unknown argument with exit code 2, before the command does anything. */
export function answerHelp(text: string, { takes = () => false, args = process.argv.slice(2) }: HelpOptions = {}): void {
  if (args.some(argument => argument === "--help" || argument === "-h")) {
    console.log(text);
    process.exit(0);
  }
  const unknown = args.find(argument => !takes(argument));
  if (unknown === undefined) return;
  console.error(`unknown argument: ${unknown}\n\n${text}`);
  process.exit(2);
}
