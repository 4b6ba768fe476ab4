import { expect, test } from "bun:test";
import { code, plain } from "./markdown_text.ts";

test.each([
  ["a|b", "a\\|b"],
  ["`rm -rf`", "\\`rm -rf\\`"],
  ["[click](http://evil)", "\\[click\\](http:\\//evil)"],
  ["![x](y)", "!\\[x\\](y)"],
  ["<img src=x onerror=alert(1)>", "\\<img src=x onerror=alert(1)\\>"],
  ["&lt;b&gt;", "\\&lt;b\\&gt;"],
  ["**bold** _it_ ~~no~~", "\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~"],
  ["a\n# heading\r\n| x |", "a # heading \\| x \\|"],
  ["a\u2028b", "a b"],
  ["a\\|b", "a\\\\\\|b"],
  ["\u202egnp\u200b\u001b[0m", "⟨U+202E⟩gnp⟨U+200B⟩⟨U+001B⟩\\[0m"],
])("%j as text is only text", (text, written) => expect(plain(text)).toBe(written));

test.each([
  ["alice", "`alice`"],
  ["a`b", "`` a`b ``"],
  ["``", "``` `` ```"],
  ["a`, see [this](http://evil) `", "`` a`, see [this](http://evil) ` ``"],
  ["a\n\n# b", "`a # b`"],
  [" a", "`  a `"],
])("%j as code has a closing fence", (text, written) => expect(code(text)).toBe(written));
