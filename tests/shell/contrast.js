// SPDX-License-Identifier: Apache-2.0
// Which texts of the page are hard to read? Those with less than 4.5 : 1, as accessibility counts.
const numbers = (text) => text.match(/[\d.]+/g).map(Number);
const light = ([r, g, b]) => {
	const part = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
	return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const behind = (one) => {
	for (; one !== null; one = one.parentElement) {
		const found = numbers(getComputedStyle(one).backgroundColor);
		if (found.length === 3 || found[3] === 1) return found;
	}
	return [255, 255, 255];
};
const poor = [];
for (const one of document.querySelectorAll("main *, header *, nav *")) {
	const hasText = Array.from(one.childNodes).some((node) => node.nodeType === 3 && node.data.trim());
	if (one.closest("svg") || !hasText) continue;
	const [a, b] = [light(numbers(getComputedStyle(one).color).slice(0, 3)), light(behind(one))];
	const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	if (ratio < 4.5) poor.push(one.outerHTML.slice(0, 120) + " " + ratio.toFixed(2));
}
return poor;
