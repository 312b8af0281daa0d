package objects

import "strings"

// IsPlain reports whether metadata are valid by the rules of every kind, which
// is true for most objects. It inspects characters instead of evaluating a
// dozen regular expressions. Metadata for which it reports false may be valid,
// and are validated in full.
func IsPlain(metadata map[string]any, namespaced bool) bool {
	namespace, _ := metadata["namespace"].(string)
	if namespaced != (namespace != "") || namespaced && !isPlainName(namespace) {
		return false
	}
	for name, value := range metadata {
		switch name {
		case "name":
			text, ok := value.(string)
			if !ok || !isPlainName(text) {
				return false
			}
		case "labels":
			if !arePlain(value, true) {
				return false
			}
		case "annotations":
			if !arePlain(value, false) {
				return false
			}
		case "namespace", "uid", "resourceVersion", "creationTimestamp", "managedFields":
		case "generation":
			if count, ok := value.(int64); !ok || count < 0 {
				return false
			}
		default:
			return false
		}
	}
	return metadata["name"] != nil
}

// plainAnnotations is a total size below which annotations are valid for every
// kind.
const plainAnnotations = 8 << 10

func arePlain(value any, labels bool) bool {
	texts, ok := value.(map[string]any)
	size := 0
	for name, value := range texts {
		text, _ := value.(string)
		if !isPlainKey(name) || labels && text != "" && !isPlainWord(text) {
			return false
		}
		size += len(name) + len(text)
	}
	return ok && (labels || size <= plainAnnotations)
}

// isPlainName reports whether a name is a DNS label that begins with a letter.
func isPlainName(name string) bool {
	if len(name) == 0 || len(name) > 50 || !isLower(name[0]) || name[len(name)-1] == '-' {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isLower(c) && !isDigit(c) && c != '-' {
			return false
		}
	}
	return true
}

// isPlainKey reports whether a name is a label key, with or without a domain.
func isPlainKey(name string) bool {
	domain, word, prefixed := strings.Cut(name, "/")
	if !prefixed {
		return isPlainWord(name)
	}
	if len(domain) > 200 {
		return false
	}
	for part := range strings.SplitSeq(domain, ".") {
		if !isPlainName(part) {
			return false
		}
	}
	return isPlainWord(word)
}

// isPlainWord reports whether a word is a valid label value.
func isPlainWord(word string) bool {
	if len(word) == 0 || len(word) > 63 || !isAlphanumeric(word[0]) || !isAlphanumeric(word[len(word)-1]) {
		return false
	}
	for i := range len(word) {
		if c := word[i]; !isAlphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isAlphanumeric(c byte) bool {
	return isLower(c) || isDigit(c) || 'A' <= c && c <= 'Z'
}
