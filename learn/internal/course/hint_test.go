package course

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHintsComeOneByOne(t *testing.T) {
	u := newUser(t)
	// Hints need only a chapter.
	u.workspace.root = t.TempDir()
	u.sees(u.types(1, "hint 10"), "the chapter cannot be read")
	for language, word := range map[string]string{"en": "Hint", "zh": "提示"} {
		folder := filepath.Join(u.workspace.root, "learn", "chapters", language)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		chapter := "# x\n"
		for _, number := range []string{"1", "2"} {
			chapter += "<details><summary>" + word + " " + number + "</summary>\n\ntext " + language + number + "\n\n</details>\n"
		}
		if err := os.WriteFile(filepath.Join(folder, "10-workqueue.md"), []byte(chapter), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	u.sees(u.types(0, "hint 10"), "Hint 1 of 2\n\ntext en1\n", "go run ./learn hint 10\n")
	u.sees(u.types(0, "hint 10 -zh"), "提示 2 / 2\n\ntext zh2\n", "最后一条提示")
	u.sees(u.types(0, "hint 10"), "All 2 hints have been shown: go run ./learn hint 10 -all")
	u.sees(u.types(0, "hint -all 10"), "Hint 1 of 2\n\ntext en1\n\nHint 2 of 2\n\ntext en2\n")
}
