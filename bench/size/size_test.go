package size

import (
	"os"
	"regexp"
	"testing"
)

// The first step of the migration changes only two imports.
func TestFirstStepChangesTwoImports(t *testing.T) {
	lineOf := regexp.MustCompile(`(?m)^(//.*|\t".*")?\n`)
	imported := regexp.MustCompile(`(?m)^\t"(?:k8s\.io/client-go|github\.com/thinformer/thinformer)/(?:tools/)?(?:util/)?(cache|workqueue)"$`)
	read := func(program string) (imports int, rest string) {
		text, err := os.ReadFile("programs/" + program + "/main.go")
		if err != nil {
			t.Fatal(err)
		}
		imports = len(imported.FindAll(text, -1))
		return imports, lineOf.ReplaceAllString(string(text), "")
	}
	imports, before := read("pods-clientgo")
	if again, after := read("pods-imports"); imports != 2 || again != 2 || before != after {
		t.Errorf("%d and %d imports, and then\n%s\nis\n%s", imports, again, before, after)
	}
}
