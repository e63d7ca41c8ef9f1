# SPDX-License-Identifier: BSD-3-Clause
# Finds headers that declare the functions of many C files. Reads C text without comments
# (test/support/code.awk, names=1: lines "file:line:code"), sources and headers together, and prints
# "header: functions of N files" for those with more than `most`.
{
  match($0, /^[^:]*:[0-9]*:/)
  file = $0
  sub(/:.*/, "", file)
  line = substr($0, RLENGTH + 1)
}
line ~ /^[A-Za-z_].*[ *]op2i_[a-z0-9_]*\(/ && line !~ /^(static|extern|typedef) / {
  name = line
  sub(/\(.*/, "", name)
  sub(/.*[ *]/, "", name)
  if (file ~ /\.c$/)
    source[name] = file
  else if (!((file, name) in declared)) {
    declared[file, name] = 1
    header[++n] = file
    function_name[n] = name
  }
}
END {
  for (i = 1; i <= n; i++) {
    defines = source[function_name[i]]
    if (defines == "" || (header[i], defines) in counted) continue
    counted[header[i], defines] = 1
    if (++files[header[i]] == most + 1) wide[++nwide] = header[i]
  }
  for (i = 1; i <= nwide; i++) print wide[i] ": functions of " files[wide[i]] " files"
}
