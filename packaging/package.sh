# The verb `package` of ./dev, which reads this file and has the functions that it calls.
# shellcheck shell=bash

# Two runs of one commit, on machines with the same packages, give the same bytes.
dev_package() {
  [[ $# == 0 || "$*" == --all ]] || die "package takes --all and nothing else."
  need build package ${1:+test site}
  build release partita libpartita
  need_newest release
  local binary="$PWD/build/release/partita" version stage epoch
  version="$("$binary" version | sed -n '1s/^partita //p')"
  stage="build/package/partita-$version"
  epoch="$(git log -1 --format=%ct)"
  export SOURCE_DATE_EPOCH="$epoch"
  rm -rf build/package && mkdir -p "$stage/pages"
  cp -r packaging/debian packaging/partita.conf packaging/partita.bash CHANGELOG.md "$stage"
  git ls-files -z README.md SECURITY.md docs deploy | xargs -0 cp --parents -t "$stage/pages"
  "$PYTHON" packaging/pages.py "$stage/pages"
  cp -P "$binary" build/release/libpartita.so* src/library/partita.h build/release/partita.pc "$stage"
  "$PYTHON" packaging/man.py "$binary" "$(date -u -d "@$epoch" +%F)" >"$stage/partita.1"
  "$PYTHON" packaging/sbom.py build/release "$version" "$(git rev-parse HEAD)" >"$stage/partita.cdx.json"
  printf 'partita (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" \
    "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" "$(date -u -R -d "@$epoch")" >"$stage/debian/changelog"
  say "Packing partita $version"
  (cd "$stage" && DEB_BUILD_OPTIONS=noautodbgsym dpkg-buildpackage -b -uc -us) >build/package/log 2>&1 || {
    tail -30 build/package/log >&2
    die "the package could not be made; all is in build/package/log."
  }
  say "Judging it"
  lintian --tag-display-limit 0 --allow-root --fail-on error,warning build/package/*.deb ||
    die "lintian found what is above in the package."
  [[ $# == 0 ]] || release
  ls -l build/package/*.deb
}

# What is handed out runs on other distributions, and on aarch64 where its compiler is installed (packages.txt).
release() {
  local program="build/portable/partita" static=(build/portable/partita-static)
  need portable
  build portable partita partita_static libpartita
  if command -v aarch64-linux-gnu-g++-12 >/dev/null && [[ -e /usr/lib/aarch64-linux-gnu/libssl.a ]]; then
    build portable-arm64 partita_static
    static+=(build/portable-arm64/partita-static)
  fi
  "$PYTHON" packaging/release.py "$program" build/package "${static[@]}"
}
