package debug

import "strings"

// writeHTML writes the lines as a table. A line "label  text", with two or more spaces,
// is a row with a label. Rows with the same label follow each other without repeating
// it.
func (s section) writeHTML(p *htmlPage, number markup) {
	p.write(`<article id="section-`, number, `">`, "\n<h2>", escape(s.Title))
	if s.hasHealth {
		p.write(" ", healthOf(s.problems).badge())
	}
	p.write("</h2>\n<table class=\"facts\"><caption class=\"hidden\">State of ", escape(s.Title), "</caption><tbody>")
	for i := 0; i < len(s.lines); {
		label, text := splitLine(s.lines[i])
		texts := []string{text}
		for i++; i < len(s.lines) && label != ""; i++ {
			next, text := splitLine(s.lines[i])
			if next != label {
				break
			}
			texts = append(texts, text)
		}
		if label == "" {
			p.write(`<tr><td colspan="2">`, escape(text), "</td>\n</tr>")
			continue
		}
		p.write(`<tr><th scope="row">`, escape(capital(label)), "</th><td>")
		for _, text := range texts {
			p.write("<div>", escape(text), "</div>")
		}
		p.write("</td>\n</tr>")
	}
	p.write("</tbody></table>\n</article>\n")
}

// splitLine returns the label and the text of a line, and no label if it has none.
func splitLine(line string) (label, text string) {
	label, text, found := strings.Cut(line, "  ")
	if text = strings.TrimLeft(text, " "); !found || text == "" || label == "" || strings.Contains(label, " ") {
		return "", line
	}
	return label, text
}

// capital returns a label with a capital letter.
func capital(label string) string { return strings.ToUpper(label[:1]) + label[1:] }
