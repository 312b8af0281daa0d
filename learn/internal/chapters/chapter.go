package chapters

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/thinformer/thinformer/learn/internal/catalog"
)

// Languages are the folders of the chapters.
var Languages = []string{"en", "zh"}

// Folder has the chapters, from the root of the module on.
const Folder = "learn/chapters"

// Path returns the file of a step's chapter, from the root of the module on.
func Path(step catalog.Step, language string) string {
	return path.Join(Folder, language, fmt.Sprintf("%02d-%s.md", step.Number, step.Name))
}

var hint = regexp.MustCompile(`(?s)<details><summary>(?:Hint|提示) (\d+)</summary>\n(.*?)</details>`)

// Hints returns the hints of a chapter. Their numbers begin with 1.
func Hints(chapter string) (hints []string, err error) {
	for _, found := range hint.FindAllStringSubmatch(chapter, -1) {
		if number, _ := strconv.Atoi(found[1]); number != len(hints)+1 {
			return nil, fmt.Errorf("hint %d is followed by hint %s", len(hints), found[1])
		}
		hints = append(hints, strings.TrimSpace(found[2]))
	}
	if written := strings.Count(chapter, "<details>"); written != len(hints) {
		return nil, fmt.Errorf("%d of %d <details> can be read as a hint: write <details><summary>Hint 1</summary> (提示 1) on a line of its own, and </details>", len(hints), written)
	}
	return hints, nil
}

// Block is a code block that is not written by hand.
type Block struct {
	// Kind is "source" or "output", and Origin what follows it in the comment.
	Kind, Origin string
	// Language is the one after the fence: "go" or "text".
	Language string
	Text     string
	start    int // of Text in the chapter
}

var block = regexp.MustCompile("(?ms)^<!-- (source|output): (.*?) -->\n+```(\\w*)\n(.*?)^```$")

// Blocks returns the code blocks of a chapter that are not written by hand.
func Blocks(chapter string) (blocks []Block) {
	for _, at := range block.FindAllStringSubmatchIndex(chapter, -1) {
		part := func(i int) string { return chapter[at[2*i]:at[2*i+1]] }
		blocks = append(blocks, Block{Kind: part(1), Origin: part(2), Language: part(3), Text: part(4), start: at[8]})
	}
	return blocks
}

// Replace returns the chapter with other texts of its Blocks.
func Replace(chapter string, text func(Block) string) string {
	blocks := Blocks(chapter)
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		chapter = chapter[:b.start] + text(b) + chapter[b.start+len(b.Text):]
	}
	return chapter
}
