// The program of the link tests: all that matters is what is linked into it.
int main() { return 0; }
