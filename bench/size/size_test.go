package size

import (
	"os"
	"regexp"
	"testing"
)

// The first step of a migration changes only imports: two, or three with a factory.
func TestFirstStepChangesImports(t *testing.T) {
	lineOf := regexp.MustCompile(`(?m)^(//.*|\t".*")?\n`)
	imported := regexp.MustCompile(`(?m)^\t"(?:k8s\.io/client-go|github\.com/thinformer/thinformer)/(?:tools/|util/|interop/)?(?:cache|workqueue|informers)"$`)
	read := func(program string) (imports int, rest string) {
		text, err := os.ReadFile("programs/" + program + "/main.go")
		if err != nil {
			t.Fatal(err)
		}
		imports = len(imported.FindAll(text, -1))
		return imports, lineOf.ReplaceAllString(string(text), "")
	}
	for kind, changed := range map[string]int{"pods": 2, "factory": 3} {
		imports, before := read(kind + "-clientgo")
		if again, after := read(kind + "-imports"); imports != changed || again != changed || before != after {
			t.Errorf("%s: %d and %d imports, and then\n%s\nis\n%s", kind, imports, again, before, after)
		}
	}
}
