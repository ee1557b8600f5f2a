// Other processes, to be killed: this program again, told to run a test that is disabled otherwise.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

namespace partita::contract {

struct Child {
  pid_t pid;
  int reports;  // the reading end
};

// Runs Child.DISABLED_`test` on that directory.
Child start_child(const std::string& test, const std::string& directory);
// Calls for each line of its reports until it ends; its status, as waitpid() gives it.
int follow(const Child& child, const std::function<void(std::string_view line)>& on_line);

// In the child.
std::string child_directory();
void report(std::string_view line);

}  // namespace partita::contract
