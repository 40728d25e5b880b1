import type { Theme } from 'vitepress';
import theme from 'vitepress/theme';
import CostChart from './CostChart.vue';
import MermaidDiagram from './MermaidDiagram.vue';
import './style.css';

const extended: Theme = {
  extends: theme,
  enhanceApp({ app }) {
    app.component('CostChart', CostChart);
    app.component('MermaidDiagram', MermaidDiagram);
  },
};

export default extended;
