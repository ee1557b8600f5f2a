"""Makes a Homebrew formula of archives of archive.py: homebrew_formula.py URL INTO ARCHIVE...

URL is that of the folder from which people fetch the archives. Version and checksums are those of the archives. Prints
the formula's path.
"""

import hashlib
import pathlib
import re
import sys

PROCESSORS = {"amd64": ("on_intel", ":x86_64"), "arm64": ("on_arm", ":arm64")}

FORMULA = '''\
class Partita < Formula
  desc "Server of the DynamoDB API on storage of your own"
  homepage "{url}"
  version "{version}"
  license "Apache-2.0"

{sources}
{needs}

  def install
    bin.install "partita"
    bash_completion.install "completions/partita.bash" => "partita"
  end

  service do
    run [opt_bin/"partita", "serve", "--data", var/"partita"]
    keep_alive true
    log_path var/"log/partita.log"
    error_log_path var/"log/partita.log"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/partita version")
    port = free_port
    server = spawn bin/"partita", "serve", "--in-memory", "--listen", "127.0.0.1:#{{port}}"
    begin
      answer = shell_output("curl -sS --retry 20 --retry-connrefused http://127.0.0.1:#{{port}}/ready")
      assert_match "ready", answer
    ensure
      Process.kill "TERM", server
      Process.wait server
    end
  end
end
'''

SOURCE = '''\
  {word} do
    url "{url}"
    sha256 "{sum}"
  end
'''


def make(url, into, archives):
    url, sources, versions = url.rstrip("/"), {}, set()
    for path in archives:
        named = re.fullmatch(r"partita-(\d[\w.]*)-linux-(amd64|arm64)\.tar\.gz", path.name)
        if not named or named[2] in sources:
            raise SystemExit(f"homebrew_formula.py: {path.name} is no archive of archive.py, or the second for its processor.")
        versions.add(named[1])
        sources[named[2]] = hashlib.sha256(path.read_bytes()).hexdigest(), path.name
    if len(versions) != 1:
        raise SystemExit("homebrew_formula.py: the archives must be of one version.")
    blocks = [
        SOURCE.format(word=PROCESSORS[each][0], url=f"{url}/{name}", sum=sum_) for each, (sum_, name) in sorted(sources.items())
    ]
    needs = ["  depends_on :linux"]
    if len(sources) == 1:
        needs.insert(0, f"  depends_on arch: {PROCESSORS[next(iter(sources))][1]}")
    path = into / "partita.rb"
    path.write_text(FORMULA.format(url=url, version=versions.pop(), sources="\n".join(blocks), needs="\n".join(needs)))
    return path


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    print(make(sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(one) for one in sys.argv[3:]]))
