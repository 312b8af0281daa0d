package proposal

import (
	"bytes"
	"fmt"
	"go/token"
)

// lineOf returns a position as FILE:LINE of the unchanged file, also for a position in the
// present text of a changed one.
func (s *solver) lineOf(pos token.Pos) string {
	at := s.c.p.Fset.PositionFor(pos, false)
	for file, v := range s.texts {
		if file.Path != at.Filename || v.text == nil || file.Syntax.FileStart <= pos && pos <= file.Syntax.FileEnd {
			continue
		}
		// Changes add and remove lines of imports, which are before all others.
		if last := len(v.syntax.Imports) - 1; last >= 0 && pos > v.syntax.Imports[last].End() {
			at.Line -= bytes.Count(v.text, []byte("\n")) - bytes.Count(file.Source, []byte("\n"))
		}
	}
	return fmt.Sprintf("%s:%d", s.relative(at.Filename), at.Line)
}
